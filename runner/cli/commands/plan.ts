import { InvalidArgumentError, Option } from 'commander';
import type { RegisterCommand } from '../io.ts';
import { profileOption, seedOption } from '../options.ts';
import type { PlanOptions } from '../actions/plan.ts';

/**
 * `pgduet plan EXPERIMENT`: shows what would be done, in which order, how long it takes and what it costs. It runs nothing.
 */
export const registerPlan: RegisterCommand = (program, io) => {
  program
    .command('plan')
    .description('Show the variants, the trials in their order, the time and the cost of an experiment. Runs nothing.')
    .argument('<experiment>', 'name under experiments/, or path to a YAML file')
    .addOption(profileOption())
    .addOption(seedOption())
    .option('--region <name>', 'Region of the prices (default: AWS_REGION, or us-east-1)')
    .addOption(
      new Option(
        '--prices <source>',
        'live: from AWS; kept: from the saved file; auto: from AWS if there are credentials',
      )
        .choices(['auto', 'live', 'kept'])
        .default('auto'),
    )
    .option('--pilot <result>', 'use the variation in this result to say how many blocks are needed to find an effect')
    .option(
      '--effect <ratio>',
      'with --pilot: the change to find; 0.05 is five percent, or five points of a share (default: decision.practicalThreshold)',
      ratio,
    )
    .option('--power <ratio>', 'with --pilot: the chance of finding it', ratio, 0.8)
    .option('--json', 'print the plan as JSON')
    .action(async (name: string, options: PlanOptions) => (await import('../actions/plan.ts')).plan(name, options, io));
};

function ratio(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < 1)) throw new InvalidArgumentError('expected a number between 0 and 1');
  return value;
}
