import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { serverUser } from '../../../runner/process/rights.ts';
import { runChecked } from '../../../runner/process/run-command.ts';

/** A certificate authority in place of that of RDS, with paths of its PEM files. */
export interface Authority {
  /** Certificate that clients must trust. */
  certificate: string;
  key: string;
}

/** Keys on a curve are made quickly. Those of RDS may be RSA or ECC. */
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** @param folder will be made; its last part is the authority's name */
export async function makeAuthority(folder: string): Promise<Authority> {
  mkdirSync(folder, { recursive: true });
  const authority = { certificate: path.join(folder, 'authority.pem'), key: path.join(folder, 'authority.key') };
  await openssl(
    folder,
    ...['req', '-x509', ...newKey, '-days', '2', '-subj', `/CN=Test Root CA ${path.basename(folder)}`],
    ...['-keyout', authority.key, '-out', authority.certificate],
  );
  return authority;
}

/**
 * Writes server.pem and server.key into the folder, and replaces older ones. Only the server's user can read the key.
 *
 * @param names DNS names that the certificate is for
 */
export async function signCertificate(authority: Authority, folder: string, names: readonly string[]): Promise<void> {
  const extensions = path.join(folder, 'server.extensions');
  writeFileSync(
    extensions,
    [
      `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`,
      'basicConstraints=critical,CA:FALSE',
      'extendedKeyUsage=serverAuth',
    ].join('\n'),
  );
  // Without a common name: it may have only 64 characters, too few for an endpoint, and nobody reads it if there are other
  // names.
  await openssl(folder, 'req', ...newKey, '-subj', '/O=Test', '-keyout', 'server.key', '-out', 'server.csr');
  await openssl(
    folder,
    ...['x509', '-req', '-in', 'server.csr', '-CA', authority.certificate, '-CAkey', authority.key],
    // Without -CAcreateserial: two that are signed at the same time would share one file of serial numbers.
    ...[
      '-set_serial',
      `0x${randomBytes(16).toString('hex')}`,
      '-days',
      '2',
      '-extfile',
      extensions,
      '-out',
      'server.pem',
    ],
  );
  const { uid, gid } = serverUser();
  chownSync(path.join(folder, 'server.key'), uid, gid);
}

async function openssl(folder: string, ...args: string[]): Promise<void> {
  await runChecked(['openssl', ...args], { cwd: folder });
}
