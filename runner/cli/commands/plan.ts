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
    .description('Expand an experiment: variants, ordered trials, time and money. Runs nothing.')
    .argument('<experiment>', 'name under experiments/, or path of a YAML file')
    .addOption(profileOption())
    .addOption(seedOption())
    .option('--region <name>', 'whose prices (default: AWS_REGION, else us-east-1)')
    .addOption(
      new Option('--prices <source>', 'live asks AWS; kept asks nobody; auto asks where there are credentials')
        .choices(['auto', 'live', 'kept'])
        .default('auto'),
    )
    .option('--pilot <result>', 'say from this result’s variation how many blocks an effect needs')
    .option(
      '--effect <ratio>',
      'with --pilot: the change to find, such as 0.05: five percent, or five points of a share (default: decision.practicalThreshold)',
      ratio,
    )
    .option('--power <ratio>', 'with --pilot: the chance of finding it', ratio, 0.8)
    .option('--json', 'the plan as one JSON value')
    .action(async (name: string, options: PlanOptions) => (await import('../actions/plan.ts')).plan(name, options, io));
};

function ratio(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < 1)) throw new InvalidArgumentError('expected a number between 0 and 1');
  return value;
}
