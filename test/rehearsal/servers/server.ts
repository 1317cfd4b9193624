import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { PostgresBinaries } from '../../../runner/places/local/installations.ts';
import { serverUser } from '../../../runner/process/rights.ts';
import { superuser } from './data-folder.ts';

/** `fast` ends the server in order, `immediate` is like a crash. Both cut off its clients. */
export type StopMode = 'fast' | 'immediate';

export interface ServerRequest {
  /** Folder that holds the data folder `data`, server.pem and server.key. The socket and server.log will be there, too. */
  folder: string;
  address: string;
  port: number;
  /** Server settings by name. */
  settings: Record<string, string>;
}

/** One PostgreSQL server. It listens at an address of its own. */
export interface Server extends ServerRequest {
  /** Path of the log. */
  log: string;
  /** Starts the server, and waits until it accepts clients. */
  start(): Promise<void>;
  stop(mode: StopMode): Promise<void>;
  /** Reads configuration and certificate again, and waits until they are in force for new clients. */
  reload(): Promise<void>;
  /**
   * Carries out one statement as superuser.
   *
   * @param database @default postgres
   */
  query<Row extends pg.QueryResultRow>(statement: string, database?: string): Promise<Row[]>;
}

const startSeconds = 60;

export function makeServer(request: ServerRequest, binaries: PostgresBinaries): Server {
  const log = path.join(request.folder, 'server.log');
  let running: ChildProcess | null = null;
  const query = async <Row extends pg.QueryResultRow>(statement: string, database = 'postgres'): Promise<Row[]> => {
    const client = new pg.Client({ host: request.folder, port: request.port, user: superuser, database });
    // If the server is stopped in the meantime, the query fails. This is enough.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(statement)).rows;
    } finally {
      await client.end();
    }
  };
  return {
    ...request,
    log,
    query,
    async start() {
      running = spawnServer(request, binaries, log);
      await letsClientsIn(running, query, log);
    },
    async stop(mode) {
      if (!running || hasEnded(running)) return;
      const ended = new Promise((resolve) => running?.once('exit', resolve));
      running.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await ended;
    },
    async reload() {
      const loadedAt = async (): Promise<string> =>
        (await query<{ at: string }>('SELECT pg_conf_load_time()::text AS at'))[0]?.at ?? '';
      const before = await loadedAt();
      running?.kill('SIGHUP');
      while ((await loadedAt()) === before) await sleep(20);
    },
  };
}

function spawnServer({ folder, address, port, settings }: ServerRequest, binaries: PostgresBinaries, log: string) {
  const all = {
    listen_addresses: address,
    port: String(port),
    unix_socket_directories: folder,
    ssl: 'on',
    ssl_cert_file: path.join(folder, 'server.pem'),
    ssl_key_file: path.join(folder, 'server.key'),
    // The server's log proves whether the connections of clients were encrypted.
    log_connections: 'on',
    max_connections: '200',
    shared_buffers: '32MB',
    ...settings,
  };
  const output = openSync(log, 'a', 0o600);
  try {
    return spawn(
      path.join(binaries.folder, 'postgres'),
      ['-D', path.join(folder, 'data'), ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      {
        ...serverUser().spawnAs,
        cwd: folder,
        env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' },
        // A process group of its own, so that a Ctrl-C in the terminal does not stop it before we do.
        detached: true,
        stdio: ['ignore', output, output],
      },
    );
  } finally {
    closeSync(output);
  }
}

async function letsClientsIn(server: ChildProcess, query: Server['query'], log: string): Promise<void> {
  const end = Date.now() + startSeconds * 1000;
  for (;;) {
    try {
      await query('SELECT 1');
      return;
    } catch (error) {
      if (hasEnded(server) || Date.now() > end) {
        const lastLines = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-5).join('\n');
        throw new Error(`the server does not start:\n${lastLines}`, { cause: error });
      }
    }
    await sleep(20);
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
