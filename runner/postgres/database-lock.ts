import { hostname } from 'node:os';
import type { Client, Connection } from './client.ts';
import { UserError } from '../contract/errors.ts';
import { keepAlive, outsideLoad, type Session, sessionColumns, type Target } from './target.ts';
import { connect } from './connect.ts';
import { disconnect } from './unanswered.ts';

/** The locks that one runner holds on the databases that it uses. */
export interface DatabaseLocks {
  /**
   * Takes the lock on this database if this runner does not hold it yet, or has lost it with its connection.
   *
   * @throws {UserError} if another pgduet uses the database, with what the server knows about that one
   */
  hold(target: Target, signal: AbortSignal): Promise<void>;
  release(): Promise<void>;
}

/** First half of the keys of our advisory locks. The second half is a hash of the database's name. */
const lockClass = 0x70676475;

/**
 * Advisory locks, one for each database. Each has its own connection: the server releases the lock when the connection
 * ends, however the program ends. The connection uses the database `postgres`, because a reset drops the measured
 * database and copies it anew.
 *
 * @param patienceSeconds how long to wait for another holder. If a runner's machine loses power, the server notices
 *   only after a while
 */
export function databaseLocks({
  patienceSeconds,
  pause,
  onWait = () => undefined,
}: {
  patienceSeconds: number;
  /** Receives a text that says what the runner is waiting for. */
  onWait?: (text: string) => void;
  pause: (seconds: number, signal: AbortSignal) => Promise<void>;
}): DatabaseLocks {
  const held = new Map<string, Connection>();

  async function isHeld(address: string): Promise<boolean> {
    const client = held.get(address);
    if (!client) return false;
    try {
      await client.query('SELECT 1');
      return true;
    } catch {
      held.delete(address);
      await disconnect(client);
      return false;
    }
  }

  async function hold(target: Target, signal: AbortSignal): Promise<void> {
    const address = `${target.host}:${target.port}/${target.database}`;
    if (await isHeld(address)) return;
    for (let waitedSeconds = 0; ; waitedSeconds += pollingSeconds) {
      const outcome = await tryLock(target);
      if ('client' in outcome) {
        held.set(address, outcome.client);
        return;
      }
      if (waitedSeconds >= patienceSeconds) throw inUse(target, outcome.holder);
      if (waitedSeconds === 0) onWait(`the end of another connection: ${inUse(target, outcome.holder).message}`);
      await pause(pollingSeconds, signal);
    }
  }

  return {
    hold,
    async release() {
      const clients = [...held.values()];
      held.clear();
      await Promise.all(clients.map(disconnect));
    },
  };
}

/** The server drops a vanished runner after 20 s of silence and three probes, 10 s apart. */
export const ghostSeconds = keepAlive.idleSeconds + (keepAlive.count + 1) * keepAlive.intervalSeconds;
const pollingSeconds = 5;

interface Holder extends Omit<Session, 'user'> {
  /** null if its role has been dropped. */
  user: string | null;
  since: string | null;
}

/** With these, the server soon notices a vanished runner. A living runner may be silent for any time. */
const settings = {
  tcp_keepalives_idle: keepAlive.idleSeconds,
  tcp_keepalives_interval: keepAlive.intervalSeconds,
  tcp_keepalives_count: keepAlive.count,
};

async function tryLock(target: Target): Promise<{ client: Connection } | { holder: Holder | null }> {
  const client = await connect(outsideLoad(target), { application: runnerName() });
  try {
    for (const [name, value] of Object.entries(settings)) {
      // Skips a setting that the server does not know.
      await client.query('SELECT set_config(name, $2, false) FROM pg_settings WHERE name = $1', [name, String(value)]);
    }
    const { rows } = await client.query<{ taken: boolean }>(
      'SELECT pg_try_advisory_lock($1::int, hashtext($2)) AS taken',
      [lockClass, target.database],
    );
    if (rows[0]?.taken !== false) return { client };
    const holder = await holderOf(client, target.database);
    await disconnect(client);
    return { holder };
  } catch (error) {
    await disconnect(client);
    throw error;
  }
}

async function holderOf(client: Client, database: string): Promise<Holder | null> {
  const { rows } = await client.query<Holder>(
    `SELECT ${sessionColumns},
            to_char(backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS since
       FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE locktype = 'advisory' AND granted AND classid = $1::int::oid AND objid::bigint = hashtext($2)::bigint & 4294967295
        AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [lockClass, database],
  );
  return rows[0] ?? null;
}

function inUse({ server, host, port, database }: Target, holder: Holder | null): UserError {
  const what = `Database ${database} of ${server} (${host}:${port}) is in use by another pgduet`;
  if (holder === null) return new UserError(`${what}, which has just ended. Start again.`);
  const { pid, user, application, address, since } = holder;
  const known = [
    `pid ${pid}`,
    address && `from ${address}`,
    application,
    user && `as ${user}`,
    since && `since ${since}`,
  ];
  return new UserError(
    `${what}: ${known.filter((part) => typeof part === 'string' && part !== '').join(', ')}. Wait for it to finish, or stop it. If its machine is gone, end its connection with SELECT pg_terminate_backend(${pid}).`,
  );
}

/** Tells another runner who holds a lock. PostgreSQL cuts the name off at 63 bytes. */
function runnerName(): string {
  return `pgduet process ${process.pid} on ${hostname()}`;
}
