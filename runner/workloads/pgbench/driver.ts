import { UserError } from '../../contract/errors.ts';
import type { DriverNeeds } from '../tool.ts';
import { optionsOfPgbench } from './options.ts';

/** @param programs folder with PostgreSQL's client programs */
export async function pgbenchVersion(programs: string, { signal }: { signal: AbortSignal }): Promise<string> {
  const { askProgram } = await import('../../process/run-command.ts');
  return (await askProgram([`${programs}/pgbench`, '--version'], { signal })).stdout.trim();
}

/**
 * Refuses options that this pgbench does not have, before anything is loaded.
 *
 * @throws {UserError} with the key of the workload and the version that it takes
 */
export function demandOptions(version: string, workload: Readonly<Record<string, unknown>>): void {
  const major = Number(/\) (\d+)/.exec(version)?.[1] ?? NaN);
  for (const [option, { key, ...use }] of Object.entries(optionsOfPgbench)) {
    const since = 'since' in use ? use.since : undefined;
    if (key === undefined || since === undefined || !workload[key] || !(major < since)) continue;
    throw new UserError(
      `workload.${key} is ${JSON.stringify(workload[key])}: ${version} has no ${option}. Leave it out, or measure with pgbench ${since} or newer (--pg-bindir).`,
    );
  }
}

/** Major versions of PostgreSQL whose client programs Amazon Linux 2023 has. */
const packagedMajors = { oldest: 15, newest: 18 };

/**
 * Takes pgbench of the variants' own major version, as the published studies did. A client may be newer than the server,
 * but not older.
 */
export const driverNeeds: DriverNeeds = {
  packages(serverMajors) {
    const major = Math.min(Math.max(packagedMajors.oldest, ...serverMajors), packagedMajors.newest);
    return [`postgresql${major}`, `postgresql${major}-contrib`];
  },
  programs: ['pgbench', 'psql'],
};
