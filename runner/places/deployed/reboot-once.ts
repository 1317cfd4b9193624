import { RebootDBClusterCommand, RebootDBInstanceCommand, type RDSClient } from '@aws-sdk/client-rds';
import { callAws } from '../../aws/call.ts';
import type { ServerBinding } from '../../contract/binding.ts';
import { awaitChange, type PollingOptions } from './await-database.ts';
import type { DatabaseState } from './database-state.ts';

/** RDS shows the reboot only some seconds after the call, and what is in force only some seconds after the reboot. */
const limitSeconds = 300;

/**
 * Reboots a database whose parameter group waits for it. A group should be some minutes old before an instance uses it for the
 * first time (API reference of CreateDBParameterGroup: at least five minutes); CloudFormation does not wait, so that an instance
 * may start before its parameters are there. The caller judges the state afterwards: there is no second reboot.
 */
export async function rebootOnce(
  variant: string,
  binding: ServerBinding,
  state: DatabaseState,
  polling: PollingOptions,
): Promise<{ state: DatabaseState; rebooted: boolean }> {
  if (!waitsForReboot(state)) return { state, rebooted: false };
  const { rds, say } = polling;
  say(`Variant ${variant} (${binding.identifier}): its parameter group waits for a reboot, rebooting it once ...`);
  await reboot(rds, binding);
  const asAsked = (later: DatabaseState): boolean => !waitsForReboot(later);
  return { state: await awaitChange(variant, binding, polling, { asAsked, limitSeconds }), rebooted: true };
}

function waitsForReboot({ parameterStatuses }: DatabaseState): boolean {
  return parameterStatuses.includes('pending-reboot');
}

/** Asks for the reboot. RDS shows it only some seconds later. */
export async function reboot(rds: RDSClient, { kind, identifier }: ServerBinding): Promise<void> {
  if (kind === 'cluster') {
    await callAws('rds:RebootDBCluster', identifier, () =>
      rds.send(new RebootDBClusterCommand({ DBClusterIdentifier: identifier })),
    );
    return;
  }
  // Without a failover: the standby of a Multi-AZ instance is not what was asked to be rebooted.
  await callAws('rds:RebootDBInstance', identifier, () =>
    rds.send(new RebootDBInstanceCommand({ DBInstanceIdentifier: identifier })),
  );
}
