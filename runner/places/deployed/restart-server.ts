import type { ServerBinding } from '../../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';
import { withConnection } from '../../postgres/connect.ts';
import type { Target } from '../../postgres/target.ts';
import { awaitConnections, type Knock } from './await-connections.ts';
import { awaitDatabase, type PollingOptions } from './await-database.ts';
import { reboot } from './reboot-once.ts';

const limitSeconds = 1800;
const intervalSeconds = 5;

/**
 * Reboots a database, and waits until its server has started anew, RDS calls it available, and it accepts connections: RDS
 * shows a reboot only some seconds after the call, so that its state alone does not tell one that is over from one to come.
 *
 * @throws {UserError} marked as passing, if it does not come back in time
 */
export async function restartServer(
  server: string,
  bound: ServerBinding,
  target: Target,
  accepting: PollingOptions & { knock: Knock; startOf?: typeof startOfServer },
): Promise<void> {
  const { rds, now, pause, signal, startOf = startOfServer } = accepting;
  await awaitConnections(target, accepting);
  const before = await startOf(target);
  await reboot(rds, bound);
  const askedAt = now().getTime();
  for (;;) {
    await pause(intervalSeconds, signal);
    // Until it is back, it does not answer.
    const started = await startOf(target).catch(() => before);
    if (started !== before) break;
    if ((now().getTime() - askedAt) / 1000 >= limitSeconds) {
      throw new UserError(
        `Variant ${server} (${bound.identifier}) was rebooted, and its server had not started anew after ${limitSeconds / 60} minutes.`,
        { passing: true },
      );
    }
  }
  await awaitDatabase(server, bound, accepting);
  await awaitConnections(target, accepting);
}

/** When the server started, by its own clock. */
async function startOfServer(target: Target): Promise<string | undefined> {
  const { rows } = await withConnection({ ...target, database: 'postgres' }, (client) =>
    client.query<{ started: string }>('SELECT pg_postmaster_start_time()::text AS started'),
  );
  return rows[0]?.started;
}
