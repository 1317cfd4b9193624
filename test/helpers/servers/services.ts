import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';
import { serverUser } from '../../../runner/process/rights.ts';
import type { LocalCluster } from './local-cluster.ts';
import { queryOn } from './local-cluster.ts';
import { makeAuthority, signCertificate } from './certificates.ts';

/** A folder with the files by which libpq finds servers, as a user keeps them. */
export class Services {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'services-'));
  #services = '';
  #passwords = '';

  constructor() {
    chmodSync(this.folder, 0o755);
    afterAll(() => rmSync(this.folder, { recursive: true }));
  }

  get environment(): Record<'PGSERVICEFILE' | 'PGPASSFILE', string> {
    return { PGSERVICEFILE: path.join(this.folder, 'services'), PGPASSFILE: path.join(this.folder, 'passwords') };
  }

  add(service: string, keywords: Readonly<Record<string, string | number>>, password?: string): void {
    const lines = Object.entries(keywords).map(([name, value]) => `${name}=${value}`);
    this.#services += `[${service}]\n${lines.join('\n')}\n\n`;
    if (password !== undefined)
      this.#passwords += `*:${keywords['port'] ?? '*'}:*:${keywords['user'] ?? '*'}:${password}\n`;
    const { PGSERVICEFILE, PGPASSFILE } = this.environment;
    writeFileSync(PGSERVICEFILE, this.#services);
    writeFileSync(PGPASSFILE, this.#passwords, { mode: 0o600 });
  }

  /**
   * Makes a role on a server that may create databases and little else, and a service for it.
   *
   * @param more keywords of the service in place of the usual ones
   */
  async addRole(
    service: string,
    { target }: LocalCluster,
    more: Record<string, string | number> = {},
    rights = 'CREATEDB',
  ) {
    const password = `secret of ${service}`;
    await queryOn(target, `CREATE ROLE "${service}" LOGIN ${rights} PASSWORD '${password}'`);
    const { host, port } = target;
    this.add(service, { host, port, user: service, dbname: 'postgres', ...more }, password);
  }
}

/** Parameters of a server that takes TLS, and the file with the authority that signed its certificate. */
export async function withTls(folder: string): Promise<{ parameters: Record<string, string>; authority: string }> {
  const authority = await makeAuthority(path.join(folder, 'authority'));
  const server = path.join(folder, 'server');
  mkdirSync(server, { recursive: true });
  await signCertificate(authority, server, ['localhost']);
  const { uid } = serverUser();
  const copy = path.join(folder, 'root.pem');
  writeFileSync(copy, readFileSync(authority.certificate), { mode: 0o644 });
  return {
    parameters: {
      ssl: 'on',
      ssl_cert_file: path.join(server, 'server.pem'),
      ssl_key_file: path.join(server, 'server.key'),
    },
    authority: uid >= 0 ? copy : authority.certificate,
  };
}
