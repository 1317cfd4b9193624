import { warningsOf } from '../../contract/warnings.ts';
import path from 'node:path';
import { costsOf } from '../../rds/prices/estimate.ts';
import type { PriceSource } from '../../rds/prices/live-prices.ts';
import { checkLimits, requireWithinLimits, lifetimeHours } from '../../rds/prices/limits.ts';
import { regionOf } from '../../rds/prices/kept-prices.ts';
import { UserError } from '../../contract/errors.ts';
import type { Plan } from '../../contract/plan.ts';
import type { LoadedExperiment } from '../../experiment/file/load.ts';
import type { Speeds } from '../../experiment/plan/durations.ts';
import { atFirstLevel } from '../../experiment/plan/start.ts';
import { makePlan } from '../../experiment/plan/plan.ts';
import { codeOf } from '../../experiment/trust.ts';
import { validateLoad } from '../../places/local/room.ts';
import type { VolumesChoice } from '../../places/local/volumes/choose-volumes.ts';
import { renderPlan } from '../../report/terminal/plan-text.ts';
import { wrap } from '../../report/media/wrap.ts';
import type { Io } from '../io.ts';
import { foreignNotes } from './foreign-words.ts';
import { loadToRun } from './load-to-run.ts';
import type { Declare } from '../verb.ts';
import { Option } from 'commander';
import {
  bindirOption,
  describeArguments,
  filesInOption,
  localOption,
  outOption,
  profileToRunOption,
  ratio,
  runNamed,
  seedOption,
  serversOption,
  volumesOption,
} from '../options.ts';

export interface PlanOptions {
  local?: true;
  profile?: string;
  seed?: number;
  servers?: string[];
  volumes?: VolumesChoice;
  filesIn?: string[];
  pgBindir?: string[];
  /** Where the run that is planned would have its results, and the list of its starts. */
  out: string;
  region?: string;
  prices: PriceSource;
  pilot?: string;
  effect?: number;
  power?: number;
  json?: true;
}

export async function plan(name: string, options: PlanOptions, io: Io): Promise<void> {
  if (options.pilot === undefined && (options.effect !== undefined || options.power !== undefined)) {
    throw new UserError(
      `--${options.effect === undefined ? 'power' : 'effect'} needs a pilot, which shows how much blocks vary: add --pilot results/NAME/latest`,
    );
  }
  const loaded = await loadToRun(name, { ...options, mayInstall: false }, io);
  const { experiment, profile, warnings } = loaded;
  warnings.push(...warningsOf('code-of-others', foreignNotes(codeOf(loaded), io)));
  const where = {
    ...io,
    explicit: options.pgBindir,
    scriptFolder: path.dirname(loaded.path),
    isElsewhere: !loaded.isHere,
  };
  const { note } = await validateLoad(experiment, where);
  if (note !== null) warnings.push(...warningsOf('not-validated', [note]));
  const { effect = experiment.decision.practicalThreshold, power = 0.8 } = options;
  const pilot = options.pilot === undefined ? null : await openPilot(path.resolve(io.workingFolder, options.pilot));
  const measured = pilot?.speedsOfPilot(pilot.result, experiment);
  const made = loaded.isHere
    ? await planNextStart(loaded, { ...options, measured }, io)
    : makePlan(experiment, profile, warnings, measured);
  const costs = await costsOf(experiment, profile, made.expectedSeconds, {
    source: options.prices,
    region: options.region ?? regionOf(io.environment),
    ...io,
    warn: (text) => io.stderr.write(`${wrap(text, io.errorColumns).join('\n')}\n`),
  });
  const limits = checkLimits(experiment.limits, lifetimeHours(experiment), made.expectedSeconds, costs);
  made.warnings.push(...warningsOf('limits', limits.warnings));

  const piloted =
    pilot && pilot.planFromPilot(atFirstLevel(experiment), profile, costs, { pilot: pilot.result, effect, power });

  io.stdout.write(
    options.json
      ? `${JSON.stringify({ ...made, costs, ...(piloted ? { pilot: piloted } : {}) }, null, 2)}\n`
      : renderPlan(made, costs, io) + (pilot && piloted ? pilot.renderPilot(piloted, io) : ''),
  );
  // Only now, so that the plan on the screen shows what exceeds the limit.
  requireWithinLimits(limits);
}

/** The plan that `load-run` would carry out. Only now: a deployed experiment has no list of its starts. */
async function planNextStart(
  loaded: LoadedExperiment,
  { out, measured }: Pick<PlanOptions, 'out'> & { measured: Partial<Speeds> | undefined },
  io: Io,
): Promise<Plan> {
  const { planAsStart, resultsFolder } = await import('./plan-start.ts');
  const results = resultsFolder(out, loaded.experiment.name, io);
  return planAsStart(loaded, { results, resume: false, measured }, io).plan;
}

/** A pilot and what reads it. Only now: a plan without a pilot needs nothing of what compares results. */
async function openPilot(folder: string) {
  const { openFolder } = await import('../../analysis/open-result.ts');
  const { planFromPilot, speedsOfPilot } = await import('../../analysis/pilot.ts');
  const { renderPilot } = await import('../../report/terminal/pilot-text.ts');
  const { result } = await openFolder(folder);
  return { result, planFromPilot, speedsOfPilot, renderPilot };
}

export const declare: Declare = (command, io) => {
  describeArguments(command, runNamed);
  command
    .addOption(localOption('the run on this machine'))
    .addOption(serversOption())
    .addOption(profileToRunOption())
    .addOption(seedOption())
    .addOption(volumesOption())
    .addOption(filesInOption())
    .addOption(bindirOption())
    .addOption(outOption())
    .option('--region <name>', 'Region of the prices (default: AWS_REGION, or us-east-1)')
    .addOption(
      new Option(
        '--prices <source>',
        'live: from AWS; kept: from the saved file; auto: from AWS if there are credentials',
      )
        .choices(['auto', 'live', 'kept'])
        .default('auto'),
    )
    .option(
      '--pilot <result>',
      'use the variation in this result to estimate how many blocks you need to detect an effect',
    )
    .option(
      '--effect <ratio>',
      'with --pilot: effect to detect; 0.05 means 5%, or 5 percentage points for a share (default: decision.practicalThreshold)',
      ratio(),
    )
    .option('--power <ratio>', 'with --pilot: statistical power (default: 0.8)', ratio())
    .option('--json', 'print the plan as JSON')
    .action((name: string, options: PlanOptions) => plan(name, options, io));
};
