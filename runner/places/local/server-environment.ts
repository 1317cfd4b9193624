/** Environment of PostgreSQL's own programs: makes messages English, and keeps out the caller's PG* settings. */
export function serverEnvironment(): Record<string, string | undefined> {
  return { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' };
}
