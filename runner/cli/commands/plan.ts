import { InvalidArgumentError, Option } from 'commander';
import { checkLimits } from '../../costs/limits.ts';
import { loadExperiment } from '../../experiment/file/load.ts';
import { makePlan } from '../../experiment/plan/plan.ts';
import { UserError } from '../../contract/errors.ts';
import { renderPilot } from '../../report/terminal/pilot-text.ts';
import { renderPlan } from '../../report/terminal/plan-text.ts';
import type { RegisterCommand } from '../io.ts';
import { profileOption, seedOption } from '../options.ts';
import type { PriceSource } from '../../costs/costs-of.ts';
import { planFromPilot } from '../../analysis/plan-pilot.ts';

interface PlanOptions {
  profile?: string;
  seed?: number;
  region?: string;
  prices: PriceSource;
  pilot?: string;
  effect?: number;
  power: number;
  json?: true;
}

/** `pgduet plan EXPERIMENT`: what would be done, in which order, how long it takes and what it costs; runs nothing. */
export const registerPlan: RegisterCommand = (program, io) => {
  program
    .command('plan')
    .description('Expand an experiment: variants, ordered trials, time and money. Runs nothing.')
    .argument('<experiment>', 'name under experiments/, or path of a YAML file')
    .addOption(profileOption())
    .addOption(seedOption())
    .option('--region <name>', 'whose prices (default: AWS_REGION, else us-east-1)')
    .addOption(
      new Option('--prices <source>', 'live asks AWS; snapshot asks nobody; auto asks where there are credentials')
        .choices(['auto', 'live', 'snapshot'])
        .default('auto'),
    )
    .option('--pilot <result>', 'say from this result’s variation how many blocks an effect needs')
    .option(
      '--effect <ratio>',
      'with --pilot: the relative change to find (default: decision.practicalThreshold)',
      ratio,
    )
    .option('--power <ratio>', 'with --pilot: the chance of finding it', ratio, 0.8)
    .option('--json', 'the plan as one JSON value')
    .action(async (name: string, options: PlanOptions) => {
      const { experiment, profile, warnings } = loadExperiment(name, {
        folder: io.workingFolder,
        profile: options.profile,
      });
      const seed = options.seed ?? experiment.protocol.seed;
      const plan = makePlan({ ...experiment, protocol: { ...experiment.protocol, seed } }, profile, warnings);
      const { AWS_REGION, AWS_DEFAULT_REGION } = io.environment;
      const region = options.region ?? AWS_REGION ?? AWS_DEFAULT_REGION ?? 'us-east-1';
      // Loaded only here: the clients of AWS would slow down every other command.
      const { costsOf } = await import('../../costs/costs-of.ts');
      const costs = await costsOf(experiment, profile, plan.expectedSeconds, { source: options.prices, region }, io);
      const limits = checkLimits(experiment, plan.expectedSeconds, costs);
      plan.warnings.push(...limits.warnings);

      const { pilot, effect = experiment.decision.practicalThreshold, power } = options;
      const piloted =
        pilot === undefined
          ? null
          : await planFromPilot(experiment, profile, costs, { pilot, effect, power, folder: io.workingFolder });

      io.stdout.write(
        options.json
          ? `${JSON.stringify({ ...plan, costs, ...(piloted ? { pilot: piloted } : {}) }, null, 2)}\n`
          : renderPlan(plan, costs, { columns: io.columns }) +
              (piloted ? renderPilot(piloted, { columns: io.columns }) : ''),
      );
      if (limits.problems.length > 0) {
        throw new UserError(
          `Refused: ${limits.problems.join('; ')}. Raise the limit in the experiment file, or plan less: fewer protocol.blocks, shorter trials, another profile.`,
        );
      }
    });
};

function ratio(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < 1)) throw new InvalidArgumentError('expected a number between 0 and 1');
  return value;
}
