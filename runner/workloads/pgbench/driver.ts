import type { DriverNeeds } from '../tool.ts';

/** @param programs folder with PostgreSQL's client programs */
export async function pgbenchVersion(programs: string): Promise<string> {
  const { demandCommand } = await import('../../process/run-command.ts');
  return (await demandCommand([`${programs}/pgbench`, '--version'])).stdout.trim();
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
