import type { DriverNeeds } from '../tool.ts';

/** Majors of PostgreSQL whose clients Amazon Linux 2023 has. */
const packagedMajors = { oldest: 15, newest: 18 };

/** pgbench of the variants' own major, as the published studies had it; a client may be newer than the server, never older. */
export const driverNeeds: DriverNeeds = {
  packages(serverMajors) {
    const major = Math.min(Math.max(packagedMajors.oldest, ...serverMajors), packagedMajors.newest);
    return [`postgresql${major}`, `postgresql${major}-contrib`];
  },
  programs: ['pgbench', 'psql'],
};
