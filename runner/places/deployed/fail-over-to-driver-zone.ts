import { FailoverDBClusterCommand, RebootDBInstanceCommand, type RDSClient } from '@aws-sdk/client-rds';
import { callAws } from '../../aws/call.ts';
import type { ServerBinding } from '../../contract/binding.ts';
import { failoverSeconds } from '../../contract/waiting-times.ts';
import { awaitChange, type PollingOptions } from './await-database.ts';
import type { DatabaseState } from './database-state.ts';

/**
 * Brings the primary of a Multi-AZ database to the driver's zone by a failover. In another zone, the network between the
 * zones would be part of every statement. The database stays where it is if that zone has no standby, or if the failover
 * does not bring it there.
 *
 * @returns the state afterwards, and a caveat for the report if the primary is in another zone
 */
export async function failOverToDriverZone(
  variant: string,
  binding: ServerBinding,
  state: DatabaseState,
  polling: PollingOptions,
): Promise<{ state: DatabaseState; caveat: string | null }> {
  const home = binding.expected.availabilityZone;
  if (!binding.expected.multiAz || state.database.availabilityZone === home) return { state, caveat: null };
  const standby = state.standbys.get(home);
  if (standby === undefined) return { state, caveat: caveatOf(variant, state, home, 'has no standby there') };

  polling.say(
    `Variant ${variant} (${binding.identifier}): its primary is in ${zoneOf(state)}, failing over to ${home} ...`,
  );
  await failOver(polling.rds, binding, standby);
  const isHome = ({ database }: DatabaseState): boolean => database.availabilityZone === home;
  const later = await awaitChange(variant, binding, polling, { asAsked: isHome, limitSeconds: failoverSeconds });
  const caveat = isHome(later) ? null : caveatOf(variant, later, home, 'did not come there by a failover');
  return { state: later, caveat };
}

async function failOver(rds: RDSClient, { kind, identifier }: ServerBinding, standby: string): Promise<void> {
  if (kind === 'cluster') {
    await callAws('rds:FailoverDBCluster', identifier, () =>
      rds.send(new FailoverDBClusterCommand({ DBClusterIdentifier: identifier, TargetDBInstanceIdentifier: standby })),
    );
    return;
  }
  await callAws('rds:RebootDBInstance', identifier, () =>
    rds.send(new RebootDBInstanceCommand({ DBInstanceIdentifier: identifier, ForceFailover: true })),
  );
}

function caveatOf(variant: string, state: DatabaseState, home: string, why: string): string {
  return `The primary of ${variant} is in ${zoneOf(state)}, the driver in ${home}, and it ${why}: every statement crosses the zones.`;
}

function zoneOf({ database }: DatabaseState): string {
  return database.availabilityZone ?? 'an unknown zone';
}
