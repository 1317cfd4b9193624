import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Plan } from '../contract/plan.ts';
import { runFiles } from '../storage/run-folder.ts';

/**
 * Whether an earlier run of this driver has loaded the databases: a run is recorded only when it has loaded. A stack refuses
 * a deploy that needs other data, so that any run of the experiment counts, whatever its profile.
 *
 * @param results folder of the experiment's runs
 */
export function wereLoadedBefore(results: string): boolean {
  return existsSync(results) && readdirSync(results).some((run) => existsSync(path.join(results, run, runFiles.run)));
}

/** The plan of a run on databases that an earlier run has loaded and used. Its result says so. */
export function planAfterAnother(plan: Plan): Plan {
  const warning =
    'The databases were not loaded for this run: it began with what an earlier run on the same stack left in them.';
  return { ...plan, warnings: [...plan.warnings, warning] };
}
