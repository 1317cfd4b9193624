import { ModifyDBInstanceCommand, type RDSClient, RebootDBInstanceCommand } from '@aws-sdk/client-rds';
import { AwsCallError, callAws } from '../aws/call.ts';
import type { ServerBinding } from '../contract/binding.ts';
import { hasLogVolume } from '../../contract/log-volume.ts';
import type { LogVolumeSwitch } from '../../contract/server-facts.ts';
import { UserError } from '../../contract/errors.ts';
import type { Target } from '../../postgres/target.ts';
import { awaitDatabase, type ConnectionProbe, type PollingOptions } from './await-database.ts';
import type { DatabaseState } from '../deployments/deployment.ts';

const probeSeconds = 5;
/** RDS shows a change only some seconds after the call that asks for it. */
const graceSeconds = 60;

export interface Switching extends PollingOptions {
  probe: ConnectionProbe;
}

/**
 * Adds or removes the log volume of an instance, as the binding expects: modifies the instance at once, reboots it, and
 * waits until RDS shows the change. Does nothing if the instance is right already.
 *
 * @param carries name of the variant that the instance carries
 * @returns null if nothing had to be done
 * @throws {UserError} if RDS does not make the change
 */
export async function switchLogVolume(
  carries: string,
  binding: ServerBinding,
  target: Target,
  switching: Switching,
): Promise<LogVolumeSwitch | null> {
  const { rds, say, now } = switching;
  const { identifier } = binding;
  const wanted = hasLogVolume(binding.expected);
  const asWanted = ({ database, pending }: DatabaseState): boolean =>
    hasLogVolume(database) === wanted && pending.length === 0;
  if (asWanted(await awaitDatabase(carries, binding, switching))) return null;

  const started = now();
  const downtime = watchDowntime(target, switching);
  say(`${identifier}: switching its log volume ${wanted ? 'on' : 'off'} ...`);
  await setLogVolume(rds, identifier, wanted);
  await downtime.during(graceSeconds);
  await awaitDatabase(carries, binding, { ...switching, pause: downtime.pause });
  await callAws('rds:RebootDBInstance', identifier, () =>
    rds.send(new RebootDBInstanceCommand({ DBInstanceIdentifier: identifier })),
  );
  await downtime.during(graceSeconds);
  const state = await awaitDatabase(carries, binding, { ...switching, pause: downtime.pause });
  if (!asWanted(state)) {
    throw new UserError(
      `${identifier} ${wanted ? 'has no' : 'still has its'} log volume after it was modified and rebooted${state.pending.length > 0 ? ` (pending: ${state.pending.join(', ')})` : ''}. Look at its events in RDS.`,
    );
  }
  return {
    instance: identifier,
    logVolume: wanted ? 'on' : 'off',
    carries,
    startedAt: started.toISOString(),
    endedAt: now().toISOString(),
    downtimeSeconds: downtime.seconds(),
  };
}

async function setLogVolume(rds: RDSClient, identifier: string, wanted: boolean): Promise<void> {
  await callAws('rds:ModifyDBInstance', identifier, () =>
    rds.send(
      new ModifyDBInstanceCommand({
        DBInstanceIdentifier: identifier,
        DedicatedLogVolume: wanted,
        ApplyImmediately: true,
      }),
    ),
  );
}

/**
 * Asks RDS for the log volume that an instance has already, so that a missing permission shows before anything is loaded.
 * AWS does not document what RDS answers to a modification that changes nothing. A refusal such as "No modifications were
 * requested" (InvalidParameterCombination) proves the permission, too: IAM decides before RDS looks at the request.
 *
 * @throws {AwsCallError} if the driver may not modify the instance, or if AWS does not answer
 */
export async function proveSwitchable({ database }: DatabaseState, identifier: string, rds: RDSClient): Promise<void> {
  try {
    await setLogVolume(rds, identifier, hasLogVolume(database));
  } catch (error) {
    if (!(error instanceof AwsCallError) || error.denied || error.isTransient) throw error;
  }
}

/**
 * Makes pauses that try to connect every few seconds, and adds up the seconds in which no connection was possible.
 */
function watchDowntime(
  target: Target,
  { probe, pause, signal }: Switching,
): { pause: Switching['pause']; during: (seconds: number) => Promise<void>; seconds: () => number } {
  let unreachableSeconds = 0;
  const pauseAndProbe: Switching['pause'] = async (seconds, during) => {
    for (let left = seconds; left > 0; left -= probeSeconds) {
      const step = Math.min(left, probeSeconds);
      await pause(step, during);
      if ((await probe(target)) !== null) unreachableSeconds += step;
    }
  };
  return {
    pause: pauseAndProbe,
    during: (seconds) => pauseAndProbe(seconds, signal),
    seconds: () => unreachableSeconds,
  };
}
