import path from 'node:path';
import { UserError, withoutStop } from '../../contract/errors.ts';
import { connectionString, ownConnections, type Target, throughPooler } from '../../postgres/target.ts';
import { withConnection } from '../../postgres/connect.ts';
import { withClient } from '../../process/client.ts';
import { withNoun } from '../../contract/format.ts';

/**
 * The clocks of EC2 and RDS agree to milliseconds. If they are a second apart, the time series of the two sides do not
 * match.
 */
const toleratedSkewSeconds = 1;

const query =
  "SELECT s.ssl, coalesce(s.version, ''), current_setting('server_version') FROM pg_stat_ssl s WHERE s.pid = pg_backend_pid()";

/**
 * Checks that both kinds of connection to a server work, encrypted and verified: that of pgbench, tried with psql,
 * which uses the same library, and our own. Also checks that the server's clock agrees with ours, and that it allows
 * enough connections. The load's kind of connection is also tried through the pooler, if there is one.
 *
 * @param clients number of clients of the workload; null if not known
 * @returns the versions of TLS and of the server, as a text
 * @throws {UserError} with a line for everything that is wrong
 */
export async function checkConnection(
  target: Target,
  {
    programs,
    now,
    clients,
    signal,
  }: { programs: string; now: () => Date; clients: number | null; signal: AbortSignal },
): Promise<string> {
  const [outside, pooled, inside] = await Promise.allSettled([
    askByPsql(target, programs, signal),
    target.pooler ? askByPsql(throughPooler(target), programs, signal) : null,
    askOurselves(target, now),
  ]);
  signal.throwIfAborted();
  const problems = new Array<string>();
  if (outside.status === 'rejected') problems.push(`psql: ${inALine(outside.reason)}`);
  if (pooled.status === 'rejected') problems.push(`psql through its proxy: ${inALine(pooled.reason)}`);
  if (inside.status === 'rejected') problems.push(`the runner: ${inALine(inside.reason)}`);
  else {
    const { skewSeconds, maxConnections } = inside.value;
    if (Math.abs(skewSeconds) > toleratedSkewSeconds) {
      const side = skewSeconds > 0 ? 'behind' : 'ahead of';
      problems.push(
        `this machine's clock is ${Math.abs(skewSeconds).toFixed(1)} s ${side} the server's. Check it with: chronyc tracking`,
      );
    }
    if (clients !== null && clients + ownConnections > maxConnections) {
      problems.push(
        `max_connections is ${maxConnections}, too low for ${withNoun(clients, 'client')} and ${ownConnections} connections of pgduet. Raise it, or use fewer clients`,
      );
    }
  }
  if (outside.status === 'fulfilled' && problems.length === 0) return outside.value;
  throw new UserError(problems.map((problem) => `Connection to ${target.server}: ${problem}.`));
}

/** @returns the versions of TLS and of the server, as a text */
async function askByPsql(target: Target, programs: string, signal: AbortSignal): Promise<string> {
  const command = [
    path.join(programs, 'psql'),
    ...['--no-psqlrc', '--no-password', '--no-align', '--tuples-only', '--command', query],
    connectionString(target),
  ];
  const environment = { PGCONNECT_TIMEOUT: '10', ...target.environment };
  const { exitCode, stdout, stderr } = await withClient({ signal }, ({ run }) => run(command, { environment, signal }));
  if (exitCode !== 0) throw new Error(stderr.trim());
  const [encrypted, tls = '', server = ''] = stdout.trim().split('|');
  if (encrypted !== 't') throw new Error('the connection is not encrypted');
  return `${tls}, PostgreSQL ${server}`;
}

function askOurselves(target: Target, now: () => Date): Promise<{ skewSeconds: number; maxConnections: number }> {
  return withConnection(target, async (client) => {
    const before = now().getTime();
    const { rows } = await client.query<{ encrypted: boolean; time: Date; max: number }>(
      `SELECT s.ssl AS encrypted, clock_timestamp() AS time, current_setting('max_connections')::int AS max
         FROM pg_stat_ssl s WHERE s.pid = pg_backend_pid()`,
    );
    const after = now().getTime();
    const [row] = rows;
    if (!row?.encrypted) throw new Error('the connection is not encrypted');
    return { skewSeconds: (row.time.getTime() - (before + after) / 2) / 1000, maxConnections: row.max };
  });
}

function inALine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return withoutStop(text.split('\n').join(' '));
}
