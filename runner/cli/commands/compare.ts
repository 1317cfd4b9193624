import { InvalidArgumentError } from 'commander';
import type { RegisterCommand } from '../io.ts';
import { failOnOption } from '../fail-on.ts';
import { unverifiedOption } from '../options.ts';
import type { CompareOptions } from '../actions/compare.ts';

/** `pgduet compare BASELINE CANDIDATE`: compares results, variants of one result, or any old pgbench outputs. */
export const registerCompare: RegisterCommand = (program, io) => {
  program
    .command('compare')
    .description('Compare two results, two variants of one, or raw pgbench outputs.')
    .argument('<baseline>', 'FOLDER, FOLDER#VARIANT, the same of an s3:// address, or pgbench outputs FILE,FILE,...')
    .argument('<candidate>', 'the same')
    .option('--paired', 'describe the changes of pairs: the first run of either side, the second, and so on')
    .option('--metric <name>', 'the metric to ask about, such as tps, runtime or latency.p99')
    .option(
      '--threshold <ratio>',
      'smallest change that matters, such as 0.05: five percent, or five points of a share',
      ratio(0, 1),
    )
    .option('--level <ratio>', 'confidence level of the intervals, such as 0.95', ratio(0.5, 1))
    .addOption(failOnOption())
    .addOption(unverifiedOption())
    .option('--json', 'the comparisons as one JSON array')
    .addHelpText('after', examples)
    .action(async (baseline: string, candidate: string, options: CompareOptions) =>
      (await import('../actions/compare.ts')).compare(baseline, candidate, options, io),
    );
};

const examples = `
Examples:
  pgduet compare results/quick/latest results/quick/latest
      every variant of one result against its baseline, by blocks
  pgduet compare results/quick/latest#without-log-volume results/quick/latest#with-log-volume
      two variants of one result, by blocks
  pgduet compare results/quick/2026-11-20T10-00-00Z results/quick/latest
      each variant of one run against its namesake of another: described
  pgduet compare a1.log,a2.log,a3.log b1.log,b2.log,b3.log
      pgbench outputs: described

Only variants of one run get a verdict, since only their order is known to have been drawn by chance. It takes six blocks, more for several candidates. Everything else is described. The metric, the threshold and the level are those that the experiment declares, else tps, 0.05 and 0.95. What is chosen only now gets no verdict: it is shown as exploratory.`;

function ratio(above: number, below: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!(value > above && value < below)) {
      throw new InvalidArgumentError(`expected a number between ${above} and ${below}`);
    }
    return value;
  };
}
