import { readFileSync } from 'node:fs';
import path from 'node:path';
import { rdsParameters } from '../../../runner/rds/place/rds-parameters.ts';
import { findPostgresBinaries } from '../../../runner/places/local/choose-binaries.ts';
import { withConnection } from '../../../runner/postgres/connect.ts';
import { makeAuthority, signCertificate } from './certificates.ts';
import { type LocalCluster, startLocalCluster } from './local-cluster.ts';

export interface TlsCluster extends LocalCluster {
  /** PEM file of the authority that signed the server's certificate, which is for `localhost`. */
  authority: string;
  /** PEM file of an authority that did not sign it. */
  otherAuthority: string;
  password: string;
  /** Version that the server tells, such as `16.15`. */
  version: string;
}

/** A private server with TLS connections and with the parameters of a group that an experiment adds nothing to, as on RDS. */
export async function startTlsCluster(): Promise<TlsCluster> {
  const { major, version } = await findPostgresBinaries({
    environment: process.env,
    signal: new AbortController().signal,
  });
  const cluster = await startLocalCluster(rdsParameters({}, major).values);
  const ours = await makeAuthority(path.join(cluster.folder, 'ours'));
  const other = await makeAuthority(path.join(cluster.folder, 'other'));
  await signCertificate(ours, cluster.folder, ['localhost']);
  await withConnection(cluster.target, async (client) => {
    await client.query(`ALTER SYSTEM SET ssl_cert_file = '${path.join(cluster.folder, 'server.pem')}'`);
    await client.query(`ALTER SYSTEM SET ssl_key_file = '${path.join(cluster.folder, 'server.key')}'`);
    await client.query(`ALTER SYSTEM SET ssl = on`);
    await client.query('SELECT pg_reload_conf()');
  });
  const password =
    readFileSync(cluster.target.environment['PGPASSFILE'] ?? '', 'utf8')
      .trim()
      .split(':')[4] ?? '';
  return { ...cluster, authority: ours.certificate, otherAuthority: other.certificate, password, version };
}
