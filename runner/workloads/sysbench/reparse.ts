import { UserError } from '../../contract/errors.ts';
import type { Measures } from '../../contract/metric.ts';
import { exists } from '../../files/look.ts';
import { filesIn, linesIn } from './generator.ts';
import { readRun } from './output/parse-output.ts';
import { commitsOf, measuresOfRun, type SysbenchWorkload } from './schema.ts';

/** Tool.reparse for sysbench. */
export function reparse(workload: SysbenchWorkload, folder: string): Measures {
  const files = filesIn(folder, 'sysbench');
  if (!exists(files.stdout)) return {};
  const run = readRun(linesIn(files));
  if (!run.complete) throw new UserError(`${files.stdout} does not show a complete run: ${run.problems.join('; ')}.`);
  return { ...measuresOfRun(run, workload).measures, 'load.commits': commitsOf(workload, run) };
}
