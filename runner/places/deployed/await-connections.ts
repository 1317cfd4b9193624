import { UserError } from '../../contract/errors.ts';
import { connectionSeconds } from '../../contract/waiting-times.ts';
import { withConnection } from '../../postgres/connect.ts';
import type { Target } from '../../postgres/target.ts';
import type { Clock } from './clock.ts';

const intervalSeconds = 5;

/**
 * Asks a server whether it takes statements that write.
 *
 * @returns null if it does, or why not. A reason that does not pass by itself is none: the next connection meets it.
 */
export type Knock = (target: Target) => Promise<string | null>;

export const knock: Knock = async (target) => {
  try {
    // Not in the target's own database, which is missing while it is restored.
    const { rows } = await withConnection({ ...target, database: 'postgres' }, (client) =>
      client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby'),
    );
    return rows[0]?.standby === true ? `The address of ${target.server} leads to a standby.` : null;
  } catch (error) {
    return error instanceof UserError && error.passing ? error.message : null;
  }
};

/**
 * Waits until a server takes statements that write. After a restart or a failover, RDS calls a database available some time
 * before it accepts connections, and before its address leads to the new primary.
 *
 * @throws {UserError} marked as passing, if the server does not do so in time
 */
export async function awaitConnections(
  target: Target,
  { say, now, pause, signal, knock: ask }: Clock & { say: (line: string) => void; signal: AbortSignal; knock: Knock },
): Promise<void> {
  const startedAt = now().getTime();
  let said = '';
  for (;;) {
    const why = await ask(target);
    if (why === null) return;
    if ((now().getTime() - startedAt) / 1000 >= connectionSeconds) {
      throw new UserError(`${why} Gave up after ${Math.round(connectionSeconds / 60)} minutes.`, { passing: true });
    }
    if (why !== said) say(`${why} Waiting ...`);
    said = why;
    await pause(intervalSeconds, signal);
  }
}
