import type { Target } from '../../../postgres/target.ts';
import { buildUsersOf, type HammerdbWorkload } from '../schema.ts';
import { asScript, connectionCommands } from './connection.ts';

/** File in the temporary folder of the process with the password of the role that builds. HammerDB removes it at once. */
export const passwordFile = 'password';

export const built = 'BUILD-END';

/**
 * The script that builds the schema in an empty database.
 *
 * @param role that builds it; HammerDB gives the role its password once more, so that it must know it
 */
export function buildScript(target: Target, workload: HammerdbWorkload, role: string): string {
  return asScript([
    ...connectionCommands(target, role),
    // Else HammerDB would copy all settings, with the password, into its database of jobs. That can be switched off for the
    // next start only; then it has such a command instead of the database.
    'catch {rename ::hdbjobs {}}',
    'proc ::hdbjobs args {return {}}',
    `set channel [open [file join $::env(TMP) ${passwordFile}]]`,
    'dict set ::configpostgresql tpcc pg_pass [read -nonewline $channel]',
    'close $channel',
    `file delete [file join $::env(TMP) ${passwordFile}]`,
    `diset tpcc pg_count_ware ${workload.warehouses}`,
    `diset tpcc pg_num_vu ${buildUsersOf(workload)}`,
    `diset tpcc pg_storedprocs ${workload.storedProcedures}`,
    'diset tpcc pg_partition false',
    'buildschema',
    `puts ${built}`,
  ]);
}
