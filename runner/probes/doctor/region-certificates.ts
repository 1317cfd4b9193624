import { X509Certificate } from 'node:crypto';
import { DescribeCertificatesCommand, type RDSClient } from '@aws-sdk/client-rds';
import { callAws } from '../../aws/call.ts';
import { UserError } from '../../contract/errors.ts';

/** The authority of new databases, unless the account chose another one. */
const usualAuthority = 'rds-ca-rsa2048-g1';

/**
 * Checks that the driver will know the authority that signs the certificates of new databases in this Region. Each
 * Region has its own roots, whose subjects name the Region, such as `Amazon RDS eu-central-1 Root CA RSA2048 G1`.
 *
 * @param certificates PEM texts that the driver gets
 * @returns the subject of the authority
 * @throws {UserError} if it is not among them
 */
export async function requireAuthority(
  rds: RDSClient,
  region: string,
  certificates: readonly string[],
): Promise<string> {
  const { DefaultCertificateForNewLaunches: authority = usualAuthority } = await callAws(
    'rds:DescribeCertificates',
    'this Region',
    () => rds.send(new DescribeCertificatesCommand({})),
  );
  const [, key = '', generation = ''] = /^rds-ca-([a-z0-9]+)-(g\d+)$/.exec(authority) ?? [];
  const wanted = `Amazon RDS ${region} Root CA ${key} ${generation}`.toUpperCase();
  const subjects = certificates.map((text) => /^CN=(.*)$/m.exec(new X509Certificate(text).subject)?.[1] ?? '');
  const found = subjects.find((subject) => subject.toUpperCase() === wanted);
  if (found !== undefined) return found;
  throw new UserError(
    `The driver does not know the certificate authority ${authority} of ${region}, so it would refuse every connection. Put https://truststore.pki.rds.amazonaws.com/${region}/${region}-bundle.pem into the folder certificates/ of this project.`,
  );
}
