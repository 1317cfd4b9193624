import type { ServerBinding } from '../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';
import { withConnection } from '../../postgres/connect.ts';
import type { Target } from '../../postgres/target.ts';
import {
  awaitChange,
  awaitConnections,
  awaitDatabase,
  type ConnectionProbe,
  type PollingOptions,
} from './await-database.ts';
import type { DatabaseState } from '../deployments/deployment.ts';
import { apiOf } from '../deployments/registry.ts';

const limitSeconds = 1800;
const intervalSeconds = 5;

/**
 * Reboots a database, and waits until its server has started anew, RDS reports it as available, and it accepts
 * connections. RDS shows a reboot only some seconds after the call, so its state alone cannot distinguish a reboot that
 * is over from one that has not begun.
 *
 * @throws {UserError} marked as passing, if it does not come back in time
 */
export async function restartServer(
  server: string,
  bound: ServerBinding,
  target: Target,
  accepting: PollingOptions & { probe: ConnectionProbe; startOf?: typeof startOfServer },
): Promise<void> {
  const { rds, now, pause, signal, startOf = startOfServer } = accepting;
  await awaitConnections(target, accepting);
  const before = await startOf(target);
  await (await apiOf(bound)).reboot(rds, bound.identifier);
  const askedAt = now().getTime();
  for (;;) {
    await pause(intervalSeconds, signal);
    // The server does not answer until it is back.
    const started = await startOf(target).catch(() => before);
    if (started !== before) break;
    if ((now().getTime() - askedAt) / 1000 >= limitSeconds) {
      throw new UserError(
        `Variant ${server} (${bound.identifier}) was rebooted, but its server had not restarted after ${limitSeconds / 60} minutes.`,
        { isTransient: true },
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

/**
 * RDS shows the reboot only some seconds after the call, and the applied parameters only some seconds after the reboot.
 */
const rebootSeconds = 300;

/**
 * Reboots a database whose parameter group waits for a reboot. A group should be at least five minutes old before an
 * instance first uses it (API reference of CreateDBParameterGroup). CloudFormation does not wait, so an instance may
 * start before its parameters exist. The caller judges the state afterwards: there is no second reboot.
 */
export async function rebootOnce(
  variant: string,
  binding: ServerBinding,
  state: DatabaseState,
  polling: PollingOptions,
): Promise<{ state: DatabaseState; rebooted: boolean }> {
  if (!waitsForReboot(state)) return { state, rebooted: false };
  const { rds, say } = polling;
  say(`Variant ${variant} (${binding.identifier}): its parameter group needs a reboot; rebooting once ...`);
  await (await apiOf(binding)).reboot(rds, binding.identifier);
  const asAsked = (later: DatabaseState): boolean => !waitsForReboot(later);
  return {
    state: await awaitChange(variant, binding, polling, { asAsked, limitSeconds: rebootSeconds }),
    rebooted: true,
  };
}

function waitsForReboot({ parameterStatuses }: DatabaseState): boolean {
  return parameterStatuses.includes('pending-reboot');
}
