import type { Target } from '../../postgres/target.ts';

/** The environment of pgbench, psql and pg_restore. Nothing of ours reaches them but what a target names. */
export function clientEnvironment(target: Target): Record<string, string | undefined> {
  return { PATH: process.env['PATH'], LC_ALL: 'C', ...target.environment };
}
