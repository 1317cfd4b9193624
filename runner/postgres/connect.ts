import type { Duplex } from 'node:stream';
import type { QueryResult } from 'pg';
import { PartError, problemOf, UserError, whyFailed } from '../contract/errors.ts';
import { readTextWhole } from '../files/read.ts';
import { type Client, type Connection, countTransactions } from './client.ts';
import { connectSeconds, isByService, keepAlive, outsideLoad, type ServiceTarget, type Target } from './target.ts';
import { settlePrivileged, settleSession } from './own-settings.ts';
import { answerOf, disconnect, inTime, watchAnswers } from './unanswered.ts';

export interface Queries {
  /**
   * Whether a query may take as long as its work takes, such as VACUUM. All other queries must be answered soon, or a
   * hung server would block the run for ever.
   *
   * @default false
   */
  long?: boolean;
  /** Name of the connection in the server's views. @default 'pgduet' */
  application?: string;
}

/**
 * Opens a connection of our own, separate from those of the load generator, for resetting and observing. Its session
 * has our own settings (own-settings.ts). The caller ends it with `disconnect`.
 *
 * @throws {UserError} if the server has no such database or refuses the user; marked as passing if it cannot be reached
 *   or does not accept connections at the moment
 */
export async function connect(target: Target, queries: Queries = {}): Promise<Connection> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await settled(target, queries);
    } catch (error) {
      const cutBy = timeouts[(error as { code?: string }).code ?? ''];
      if (cutBy === undefined) throw doesNotAccept(target, error) ?? doesNotKnow(target, error) ?? error;
      if (attempt === patientAttempts) {
        throw new UserError(
          `The server of ${target.server} ended ${attempt} sessions of pgduet in a row before their first query had finished (${(error as Error).message}). Set its parameter ${cutBy} to a larger value, or omit it.`,
          { cause: error },
        );
      }
    }
  }
}

/**
 * How often to try: before a session has our settings, a timeout of a few milliseconds may end it or its first query.
 */
const patientAttempts = 10;
/** The parameter that ended a session or query, by SQLSTATE. */
const timeouts: Readonly<Record<string, string>> = {
  '57014': 'statement_timeout',
  '57P05': 'idle_session_timeout',
  '25P04': 'transaction_timeout',
};

async function settled(target: Target, { long = false, application = 'pgduet' }: Queries): Promise<Connection> {
  const { client, wanted } = isByService(target)
    ? await byService(target, application)
    : await byAddress(target, application);
  if (!long) boundQueries(client, target.server);
  try {
    await settlePrivileged(client, await wanted);
  } catch (error) {
    await disconnect(client);
    throw error;
  }
  return client;
}

/** A connection on which `settleSession` is under way, and what its last statement will find. */
interface Settling {
  client: Connection;
  wanted: Promise<{ name: string; value: string }[]>;
}

async function byService(target: ServiceTarget, application: string): Promise<Settling> {
  // Only now, as pg below: it starts programs.
  const { psqlSession } = await import('./psql-session.ts');
  const client = await psqlSession(target, application);
  const settle = async (): Promise<{ name: string; value: string }[]> => {
    let rows: { name: string; value: string }[] = [];
    for (const statement of settleSession) rows = (await client.query<(typeof rows)[number]>(statement)).rows;
    return rows;
  };
  return { client, wanted: answerOf(settle(), target.server) };
}

async function byAddress(target: Target, application: string): Promise<Settling> {
  // Only now: whoever reads an experiment loads this file, but few of them connect.
  const { default: pg } = await import('pg');
  const certificates = target.environment['PGSSLROOTCERT'];
  const connection = new pg.Client({
    host: target.host,
    port: target.port,
    user: target.user,
    database: target.database,
    password: passwordOf(target),
    application_name: application,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAlive.idleSeconds * 1000,
    ...(target.environment['PGSSLMODE'] === 'verify-full' && certificates !== undefined
      ? { ssl: { ca: readTextWhole(certificates), rejectUnauthorized: true } }
      : {}),
  });
  const cutOff = (): void => {
    (connection as unknown as { connection: { stream: Duplex } }).connection.stream.destroy();
  };
  const transactions = countTransactions();
  const send = connection.query.bind(connection) as (...args: unknown[]) => Promise<unknown>;
  const query = (...args: unknown[]): Promise<unknown> => {
    transactions.add();
    return send(...args);
  };
  const client = Object.assign(connection, { cutOff, query, transactions: transactions.total }) as Connection;
  // Without a listener, a lost server would end the whole process. The next query reports the loss anyway.
  connection.on('error', () => undefined);
  const connected = connection.connect();
  // Queued at once, so that it is the first query that the server gets from us.
  const settling = answerOf(client.query(settleSession.join(';\n')), target.server);
  settling.catch(() => undefined);
  await inTime(connected, connectSeconds, () => {
    cutOff();
    return new PartError(`no connection within ${connectSeconds} s`, 'no-connection');
  });
  // For several statements, pg returns one result each.
  const results = settling as unknown as Promise<QueryResult<{ name: string; value: string }>[]>;
  return { client, wanted: results.then((all) => all.at(-1)?.rows ?? []) };
}

/**
 * Makes each query fail if it is not answered in time. Keepalive does not help while a query is on its way to a server
 * that is gone.
 */
function boundQueries(client: Connection, server: string): void {
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
  client.query = ((...args: unknown[]) => answerOf(query(...args), server)) as typeof client.query;
}

/**
 * Asks whether the server answers at all, outside the measured database: somebody may be waiting for that to have no
 * sessions.
 */
async function ask(target: Target): Promise<void> {
  const client = await connect(outsideLoad(target));
  try {
    await client.query('SELECT 1');
  } finally {
    await disconnect(client);
  }
}

/**
 * Runs `use` with a connection and then ends the connection, even if `use` throws. Gives up the running query if the
 * signal aborts. Gives up a long query, too, if its server no longer answers anything else.
 *
 * @throws the signal's reason if it aborted; an error that names the server if it does not answer
 */
export async function withConnection<T>(
  target: Target,
  use: (client: Client) => Promise<T>,
  signal?: AbortSignal,
  queries?: Queries,
): Promise<T> {
  signal?.throwIfAborted();
  const client = await connect(target, queries);
  const watch = queries?.long ? watchAnswers(target.server, () => ask(target)) : null;
  const either = AbortSignal.any([signal, watch?.silent].filter((one) => one !== undefined));
  // During a query this cuts the connection, and the query rejects.
  const giveUp = (): void => void disconnect(client);
  either.addEventListener('abort', giveUp, { once: true });
  try {
    return await use(client);
  } catch (error) {
    either.throwIfAborted();
    throw error;
  } finally {
    watch?.stop();
    either.removeEventListener('abort', giveUp);
    await disconnect(client);
  }
}

/** Null if the server answered and refused the connection for a reason that will not pass by itself. */
function doesNotAccept({ server, host, port }: Target, error: unknown): UserError | null {
  if (error instanceof UserError || problemOf(error)?.isTransient !== true) return null;
  return new UserError(`Server ${server} at ${host}:${port} does not accept connections (${whyFailed(error)}).`, {
    cause: error,
    isTransient: true,
  });
}

/**
 * A restored server has the databases and users of its snapshot, and the experiment must name those. Null for other
 * errors.
 */
function doesNotKnow({ server, user, database }: Target, error: unknown): UserError | null {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return null;
  const { code, message } = error;
  if (code === '3D000') return new UserError(`Server ${server} has no database ${database}.`, { cause: error });
  return code.startsWith('28')
    ? new UserError(`Server ${server} rejects user ${user} (${message}).`, { cause: error })
    : null;
}

/**
 * The password in the password file. pgduet wrote the file with one line, `*:*:*:user:password`, in which colons and
 * backslashes of the password are escaped.
 */
function passwordOf(target: Target): string {
  const file = target.environment['PGPASSFILE'];
  if (file === undefined) throw new Error(`no PGPASSFILE for ${target.server}`);
  return readTextWhole(file).trim().split(':').slice(4).join(':').replace(/\\(.)/g, '$1');
}

/**
 * Does several things at the same time. The first failure aborts the signal of the others, so that none continues in
 * vain.
 *
 * @returns once all of them have ended
 * @throws the first error
 */
export async function allOrNone<T>(
  items: Iterable<T>,
  carryOut: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failure = new AbortController();
  const going = [...items].map((item) =>
    carryOut(item, failure.signal).catch((error: unknown) => {
      failure.abort(error);
      throw error;
    }),
  );
  await Promise.allSettled(going);
  // The other errors often say only that they were aborted.
  failure.signal.throwIfAborted();
}
