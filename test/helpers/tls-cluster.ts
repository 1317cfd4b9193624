import { chmodSync, chownSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { withConnection } from '../../runner/places/connect.ts';
import { serverUser } from '../../runner/places/local/server-user.ts';
import { makeCertificates } from './certificates.ts';
import { type LocalCluster, startLocalCluster } from './local-cluster.ts';

export interface TlsCluster extends LocalCluster {
  /** PEM file of the authority that signed the server's certificate, which is for `localhost`. */
  authority: string;
  /** PEM file of one that did not. */
  otherAuthority: string;
  password: string;
}

/** A private server that takes TLS connections too, as a database on RDS does. */
export async function startTlsCluster(): Promise<TlsCluster> {
  const cluster = await startLocalCluster();
  const [ours, other] = ['ours', 'other'].map((name) => {
    const folder = path.join(cluster.folder, name);
    mkdirSync(folder);
    return makeCertificates(folder, 'localhost');
  });
  if (!ours || !other) throw new Error('two pairs of certificates were asked for');
  const { uid, gid } = serverUser();
  chownSync(ours.key, uid, gid);
  chmodSync(ours.key, 0o600);
  await withConnection(cluster.target, async (client) => {
    await client.query(`ALTER SYSTEM SET ssl_cert_file = '${ours.certificate}'`);
    await client.query(`ALTER SYSTEM SET ssl_key_file = '${ours.key}'`);
    await client.query(`ALTER SYSTEM SET ssl = on`);
    await client.query('SELECT pg_reload_conf()');
  });
  const password =
    readFileSync(cluster.target.environment['PGPASSFILE'] ?? '', 'utf8')
      .trim()
      .split(':')[4] ?? '';
  return { ...cluster, authority: ours.authority, otherAuthority: other.authority, password };
}
