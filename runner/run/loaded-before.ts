import path from 'node:path';
import type { Plan } from '../contract/plan.ts';
import { namesIn } from '../files/look.ts';
import { runFiles } from '../storage/run-files.ts';

/**
 * Whether an earlier run of this driver has measured, and so changed what was loaded. A stack refuses a deploy that needs
 * other data, so that any run of the experiment counts, whatever its profile.
 *
 * @param results folder of the experiment's runs
 */
export function wereUsedBefore(results: string): boolean {
  return namesIn(results).some((run) => namesIn(path.join(results, run, runFiles.trials)).length > 0);
}

/** The plan of a run on databases that an earlier run has used. Its result says so. */
export function planAfterAnother(plan: Plan): Plan {
  const warning =
    'The databases were not loaded for this run: it began with what an earlier run on the same stack left in them.';
  return { ...plan, warnings: [...plan.warnings, warning] };
}
