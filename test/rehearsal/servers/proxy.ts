import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { waitUntil } from '../../../runner/process/wait-until.ts';
import { serverUser } from '../../../runner/process/rights.ts';
import { type Authority, signCertificate } from '../../helpers/servers/certificates.ts';
import { pointName } from './host-names.ts';

export interface ProxyRequest {
  /** Folder of its own, which it makes. */
  folder: string;
  /** Host name that RDS gives to the proxy. */
  endpoint: string;
  /** The database, by the name in its certificate. */
  database: { host: string; port: number };
  user: string;
  password: string;
  authority: Authority;
  address: string;
  port: number;
  hostsFile: string;
  /** Sessions that it may have on the database. */
  sessions: number;
}

/** Takes the place of an RDS Proxy. */
export interface Proxy {
  /** Path of the log, which shows each client that connected, and how. */
  log: string;
  stop(): Promise<void>;
}

/**
 * Starts a PgBouncer that knows its clients and its database by TLS alone. Unlike RDS Proxy, it gives each client a session
 * for as long as it is connected.
 */
export async function startProxy(request: ProxyRequest): Promise<Proxy> {
  const { folder, endpoint, database, user, password, authority, address, port, hostsFile, sessions } = request;
  const { uid, gid, spawnAs } = serverUser();
  mkdirSync(folder, { mode: 0o700 });
  chownSync(folder, uid, gid);
  await signCertificate(authority, folder, [endpoint]);
  const settings = {
    listen_addr: address,
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: path.join(folder, 'users'),
    pool_mode: 'session',
    max_client_conn: 500,
    default_pool_size: sessions,
    // RDS Proxy refuses options of a session.
    ignore_startup_parameters: 'extra_float_digits',
    client_tls_sslmode: 'require',
    client_tls_cert_file: path.join(folder, 'server.pem'),
    client_tls_key_file: path.join(folder, 'server.key'),
    server_tls_sslmode: 'verify-full',
    server_tls_ca_file: authority.certificate,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  const files = {
    users: `"${user}" "${password}"\n`,
    'pgbouncer.ini': `[databases]\n* = host=${database.host} port=${database.port}\n\n[pgbouncer]\n${lines.join('')}`,
  };
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    chownSync(file, uid, gid);
  }
  const log = path.join(folder, 'proxy.log');
  const output = openSync(log, 'a', 0o600);
  const running: ChildProcess = spawn('pgbouncer', [path.join(folder, 'pgbouncer.ini')], {
    ...spawnAs,
    cwd: folder,
    // Debian's package has it in a folder of administrators.
    env: { PATH: `${process.env['PATH']}:/usr/sbin`, LC_ALL: 'C', TZ: 'UTC' },
    detached: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const ended = new Promise<void>((resolve) => void running.once('exit', () => resolve()));
  const text = (): string => readFileSync(log, 'utf8');
  if (!(await waitUntil(() => text().includes('process up: PgBouncer'), { seconds: 20 }))) {
    throw new Error(`The proxy ${endpoint} does not start: ${text()}`);
  }
  pointName(hostsFile, endpoint, address);
  return {
    log,
    async stop() {
      running.kill('SIGTERM');
      await ended;
    },
  };
}
