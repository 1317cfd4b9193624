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
    .argument('<candidate>', 'in the same form')
    .option('--paired', 'pair the runs by their order, first with first, and describe the change of each pair')
    .option('--metric <name>', 'metric to compare, such as tps, runtime or latency.p99')
    .option(
      '--threshold <ratio>',
      'smallest change that matters: 0.05 is five percent, or five points of a share',
      ratio(0, 1),
    )
    .option('--level <ratio>', 'confidence level of the intervals, such as 0.95', ratio(0.5, 1))
    .addOption(failOnOption())
    .addOption(unverifiedOption())
    .option('--json', 'print the comparisons as a JSON array')
    .addHelpText('after', examples)
    .action(async (baseline: string, candidate: string, options: CompareOptions) =>
      (await import('../actions/compare.ts')).compare(baseline, candidate, options, io),
    );
};

const examples = `
Examples:
  pgduet compare results/quick/latest results/quick/latest
      every variant of a result against its baseline, block by block
  pgduet compare results/quick/latest#without-log-volume results/quick/latest#with-log-volume
      two variants of a result, block by block
  pgduet compare results/quick/2026-11-20T10-00-00Z results/quick/latest
      each variant of one run against the same variant of another: described, without a verdict
  pgduet compare a1.log,a2.log,a3.log b1.log,b2.log,b3.log
      outputs of pgbench: described, without a verdict

Only variants of the same run can get a verdict, because only their order is known to be random. A verdict takes six blocks, and more if there are several candidates. Metric, threshold and level are those that the experiment declares, or tps, 0.05 and 0.95. A metric, threshold or level chosen here gets no verdict: it is marked as exploratory.`;

function ratio(above: number, below: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!(value > above && value < below)) {
      throw new InvalidArgumentError(`expected a number between ${above} and ${below}`);
    }
    return value;
  };
}
