import type { ChildProcess } from 'node:child_process';
import { chownSync, writeFileSync } from 'node:fs';
import { PartError } from '../../contract/errors.ts';
import type { Target } from '../../postgres/target.ts';
import { reducedRights, type ServerUser } from '../../process/rights.ts';
import { endOf, spawnTracked } from '../../process/tracked-process.ts';
import { waitUntil } from '../../process/wait-until.ts';
import { lastLines, lastWords, type OwnFiles } from './cluster-files.ts';
import { serverEnvironment } from './initialise.ts';
import type { PoolerRequest } from './pooler-program.ts';
import { stopServer } from './start-server.ts';

/** A PgBouncer that accepts connections. */
export interface StartedPooler {
  address: NonNullable<Target['pooler']>;
  process: ChildProcess;
  /** Aborts when it ends. */
  failed: AbortSignal;
}

const startSeconds = 20;
/** Connections for a person who looks at it. */
const spareConnections = 20;

/**
 * Starts PgBouncer before a running server, on loopback as the server is. It takes the password of the server's user from a
 * file that only its own user reads.
 *
 * @throws {PartError} if it does not start
 */
export async function startPooler(
  request: PoolerRequest,
  server: Target & { password: string },
  { ours, folder, user }: { ours: OwnFiles; folder: string; user: ServerUser },
  { choosePort, signal }: { choosePort: () => Promise<number>; signal: AbortSignal },
): Promise<StartedPooler> {
  const port = await choosePort();
  const files = {
    [ours.poolerUsers]: `"${server.user}" "${server.password}"\n`,
    [ours.poolerConfiguration]: configurationText(request, server, { port, users: ours.poolerUsers }),
  };
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(file, text, { mode: 0o600 });
    chownSync(file, user.uid, user.gid);
  }
  const { prefix, spawnAs } = await reducedRights();
  const started = spawnTracked([...prefix, request.program.path, ours.poolerConfiguration], {
    ...spawnAs,
    note: ours.poolerNote,
    log: ours.poolerLog,
    cwd: folder,
    env: serverEnvironment(),
  });
  const name = `PgBouncer before ${server.server}`;
  const failed = endOf(started, name, 'server-ended', () => lastWords(ours.poolerLog));
  try {
    // Whoever else listens at the port must not be asked. PgBouncer says so once it listens there itself.
    const isUp = (): boolean => lastLines(ours.poolerLog).some((line) => line.includes('process up: PgBouncer'));
    const bound = AbortSignal.any([signal, failed]);
    if (!(await waitUntil(isUp, { seconds: startSeconds, signal: bound })))
      throw new PartError(`${name} was not ready after ${startSeconds} s: ${lastWords(ours.poolerLog)}`, 'no-answer');
  } catch (error) {
    await stopServer(started);
    throw error;
  }
  return { address: { host: server.host, port, size: request.poolSize }, process: started, failed };
}

/** What is not here has PgBouncer's default. */
export function configurationText(
  { mode, poolSize, clients, program }: PoolerRequest,
  server: Pick<Target, 'host' | 'port'>,
  { port, users }: { port: number; users: string },
): string {
  const settings = {
    listen_addr: server.host,
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: users,
    pool_mode: mode,
    default_pool_size: poolSize,
    max_client_conn: clients + spareConnections,
    // Clients send PGOPTIONS, for which versions before 1.20 would refuse them.
    ignore_startup_parameters: 'extra_float_digits, options',
    ...(program.keepsStatements && mode === 'transaction' && { max_prepared_statements: maxStatements }),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  return `[databases]\n* = host=${server.host} port=${server.port}\n\n[pgbouncer]\n${lines.join('')}`;
}

/** More than any tool's scripts have. */
const maxStatements = 1000;
