import { placeOf } from '../../places/registry.ts';
import { decidingMetric } from '../../contract/experiment/schema.ts';
import { problemOf, UserError, wordsOf } from '../../contract/errors.ts';
import { loadInParts, type LoadedExperiment } from '../../experiment/file/load.ts';
import { codeOf } from '../../experiment/trust.ts';
import { type Progress, showProgress } from '../../report/terminal/progress.ts';
import { endLine } from '../../report/terminal/status-text.ts';
import type { VolumesChoice } from '../../places/local/volumes/choose-volumes.ts';
import type { PlannedRun, Run } from '../../run/run-shape.ts';
import { withResultsLocked } from '../../storage/results-folder.ts';
import type { RunStore } from '../../storage/run-store.ts';
import type { FoundBinding } from '../../rds/driver/binding.ts';
import {
  allowActivityOption,
  bindirOption,
  describeArguments,
  type FailOnOptions,
  failOnOption,
  filesInOption,
  liveOption,
  localOption,
  type Loudness,
  outOption,
  profileToRunOption,
  quietMachineOption,
  quietOption,
  runNamed,
  seedOption,
  serversOption,
  trustOption,
  verboseOption,
  volumesOption,
} from '../options.ts';
import type { Declare } from '../verb.ts';
import { Option } from 'commander';
import { type Io, say } from '../io.ts';
import { type Consent, consentTo } from './consent.ts';
import { loadToRun, refuseDeployOptions } from './load-to-run.ts';
import { resultsFolder } from './plan-start.ts';
import { prepareRun, savingBy, seedDrawer } from './prepare-run.ts';
import { presentResult } from './present-result.ts';
import { openLiveRun, requireTerminal } from './serve-live.ts';
import type { QuietMachine } from '../../contract/quiet-machine.ts';
import type { Result } from '../../contract/result.ts';
import type { TriedOut } from '../../workloads/load-generator.ts';
import { ownCommand } from '../../contract/own-command.ts';
import { planHint } from './plan-hint.ts';

/** Options of `load`, `run` and `load-run`. */
export interface VerbOptions extends FailOnOptions, Loudness {
  local?: true;
  binding?: string;
  owner?: string;
  region?: string;
  profile?: string;
  seed?: number;
  quietMachine?: QuietMachine;
  out: string;
  resume?: true;
  blind?: true;
  live?: true;
  keep?: true;
  pgBindir?: string[];
  filesIn?: string[];
  trust?: string;
  servers?: string[];
  allowActivity?: true;
  /** @default those of the repeated run, otherwise auto */
  volumes?: VolumesChoice;
  dryRun?: true;
  json?: true;
}

/** Carries out one of the three verbs, on this machine or on a deployed stack. */
export async function runVerb(
  name: string | undefined,
  stages: Run['stages'],
  options: VerbOptions,
  io: Io,
): Promise<void> {
  // Before anything is installed for a run.
  if (options.local && options.live) requireTerminal(io);
  const drawSeed = seedDrawer(options, io);
  // On a driver, the binding says where it is.
  const loaded =
    options.binding === undefined
      ? await loadToRun(requireName(name), { ...options, drawSeed, mayInstall: options.dryRun !== true }, io)
      : null;
  if (loaded?.isHere) {
    refuseDeployOptions(options);
    const consent = await consentTo(codeOf(loaded), { ...options, warnings: loaded.warnings }, io);
    await runLocal(loaded, stages, { ...options, consent, more: planHint(name, options) }, io);
  } else {
    await runOnDeployed(name, stages, options, io);
  }
  io.signal.throwIfAborted();
}

function requireName(name: string | undefined): string {
  if (name !== undefined) return name;
  throw new UserError('No experiment given. Name one under experiments/, or pass a path.');
}

/** A run that its user agreed to. The command may have made its experiment, as `try` does. */
interface MadeUp extends Pick<Run, 'handover'> {
  consent: Consent;
  /** Called with what the first transactions on each server took. It may throw an UnfitTrials. */
  onTriedOut?: (found: TriedOut | null, run: PlannedRun) => Promise<void>;
  /** The last line of what is shown when the run begins. */
  more: string;
  /** Whether `onTriedOut` shows that. */
  isLater?: boolean;
  /** Keeps the result and shows it. @default presentResult */
  present?: (result: Result, store: RunStore) => Promise<void>;
}

/**
 * Carries out a run on this machine, with a private server for each variant.
 *
 * @returns null if there is no result, such as after a dry run
 */
export async function runLocal(
  loaded: LoadedExperiment,
  stages: Run['stages'],
  options: VerbOptions & MadeUp,
  io: Io,
): Promise<Result | null> {
  if (options.live) requireTerminal(io);
  const makesServers = stages.load && placeOf(loaded.experiment).isMadeByRun;
  const run = await prepareRun(loaded, { ...options, makesServers, beginning: options }, null, io);
  if (!run) return null;
  const { runHere } = await import('../../run/here.ts');
  const { onTriedOut } = options;
  const results = resultsFolder(options.out, run.experiment.name, io);
  return withResultsLocked(results, async () => {
    const live = options.live ? await openLiveRun(run, options, io) : null;
    const progress = progressOf(run, options, io);
    try {
      const outcome = await runHere(run, {
        stages,
        results,
        resume: options.resume === true,
        blind: options.blind,
        keep: options.keep,
        place: {
          pgBindir: options.pgBindir,
          volumes: volumesFor(run, options, io),
          environment: io.environment,
          allowActivity: options.allowActivity,
        },
        say: progress.say,
        report: live ? live.reportAfter(progress.report) : progress.report,
        observer: live ?? undefined,
        onTriedOut: onTriedOut && ((found) => onTriedOut(found, run)),
        handover: options.handover,
        signal: io.signal,
      });
      progress.end();
      if (!outcome) return null;
      await (options.present?.(outcome.result, outcome.store) ??
        presentResult(outcome.result, outcome.store, options, io));
      await live?.showResult(outcome.result, outcome.store);
      return outcome.result;
    } finally {
      progress.end();
      await live?.end();
    }
  });
}

/** A repeated run gets volumes of the same kind as the original, unless the user says otherwise. */
function volumesFor({ repeatedVolumes }: PlannedRun, { volumes }: VerbOptions, io: Io): VolumesChoice {
  if (repeatedVolumes === undefined || repeatedVolumes === volumes) return volumes ?? 'auto';
  say(
    volumes === undefined
      ? `Using the same volumes as the original run: --volumes ${repeatedVolumes}.`
      : `warning: the original run used --volumes ${repeatedVolumes}, this one uses ${volumes}. Results may differ because of that.`,
    io,
  );
  return volumes ?? repeatedVolumes;
}

/** @throws {UserError} if an option is for a run on this machine only */
function refuseLocalOptions({ keep, volumes, filesIn, live }: VerbOptions): void {
  const misplaced = Object.entries({ keep, volumes, 'files-in': filesIn }).find(([, value]) => value !== undefined);
  if (misplaced) throw new UserError(`--${misplaced[0]} is for a run on this machine: add --local, or omit it`);
  if (!live) return;
  throw new UserError(
    `--live serves a page about a run on this machine (--local). For a deployed run: ${ownCommand} watch NAME --live`,
  );
}

async function runOnDeployed(
  name: string | undefined,
  stages: Run['stages'],
  options: VerbOptions,
  io: Io,
): Promise<void> {
  refuseLocalOptions(options);
  // Imported here, so that a local run does not load the libraries of AWS.
  const { bindingOnDriver, findBinding } = await import('../../rds/driver/binding.ts');
  const { leaveRefusal } = await import('../../rds/driver/ended-run.ts');
  const { binding } = options;
  const found =
    binding === undefined ? await findBinding(requireName(name), options, io) : bindingOnDriver(binding, name, io);
  try {
    await runOnBinding(found, stages, { ...options, more: planHint(name, options) }, io);
  } catch (error) {
    const problem = problemOf(error);
    const lasting = problem && !problem.isTransient && !io.signal.aborted;
    // Anywhere but on the driver, a mistake in the command must not end the stack.
    if (lasting && binding !== undefined && !options.dryRun) {
      // If this fails too, the first error is the one to throw.
      await leaveRefusal(found, [problem.message], savingBy(io)).catch((second: unknown) => say(wordsOf(second), io));
    }
    throw error;
  }
}

async function runOnBinding(
  found: FoundBinding,
  stages: Run['stages'],
  options: VerbOptions & Pick<MadeUp, 'more'>,
  io: Io,
): Promise<void> {
  const { runDeployed } = await import('../../rds/driver/run-deployed.ts');
  const how = {
    folder: io.workingFolder,
    profile: options.profile,
    defaultProfile: found.binding.experiment.profile,
    seed: options.seed,
    quietMachine: options.quietMachine,
    drawSeed: seedDrawer(options, io),
  };
  const loaded = await loadInParts(found.experiment, how, io.signal);
  // A driver runs what was deployed: somebody agreed to it there.
  const isDriver = options.binding !== undefined;
  const consent = isDriver ? {} : await consentTo(codeOf(loaded), { ...options, warnings: loaded.warnings }, io);
  const run = await prepareRun(loaded, { ...options, consent, beginning: options }, found.binding, io);
  if (!run) return;
  const results = resultsFolder(options.out, run.experiment.name, io);
  await withResultsLocked(results, async () => {
    const progress = progressOf(run, options, io);
    const present = (result: Result, store: RunStore): Promise<void> => {
      progress.end();
      return presentResult(result, store, options, io);
    };
    try {
      const ended = await runDeployed(run, found, {
        stages,
        results,
        resume: options.resume === true,
        blind: options.blind,
        pgBindir: options.pgBindir,
        environment: io.environment,
        ...progress,
        present,
        signal: io.signal,
      });
      progress.end();
      if (ended === null) return;
      say(`This run has already ended, and all of its results are in S3. ${endLine(ended, new Date())}`, io);
    } finally {
      progress.end();
    }
  });
}

function progressOf({ plan, experiment }: PlannedRun, loudness: Loudness, io: Io): Progress {
  return showProgress(plan, decidingMetric(experiment.decision), { ...io, ...loudness });
}

const stages: Readonly<Record<string, Run['stages']>> = {
  load: { load: true, run: false },
  run: { load: false, run: true },
  'load-run': { load: true, run: true },
};

export const declare: Declare = (command, io) => {
  describeArguments(command, runNamed);
  command
    .addOption(localOption('run on this machine, with a private PostgreSQL for each variant'))
    .addOption(
      new Option(
        '--binding <file>',
        'on the driver: binding file from the deploy (/etc/pgduet/binding.json)',
      ).conflicts('local'),
    )
    .addOption(
      new Option('--owner <who>', 'owner of the deploy (default: your login name); not needed on the driver').conflicts(
        'local',
      ),
    )
    .addOption(new Option('--region <name>', 'Region of the deploy').conflicts('local'))
    .addOption(serversOption().conflicts('binding'))
    .addOption(allowActivityOption())
    .addOption(profileToRunOption())
    .addOption(seedOption())
    .addOption(quietMachineOption())
    .addOption(outOption())
    .option('--resume', 'continue the latest unfinished run of this experiment')
    .option('--blind', 'hide throughput and latency until the run ends')
    .addOption(liveOption())
    .option('--keep', 'keep the local servers running, and print how to connect')
    .addOption(bindirOption())
    .addOption(volumesOption())
    .addOption(filesInOption())
    .addOption(trustOption())
    .addOption(failOnOption())
    .option('--dry-run', 'print the plan and exit')
    .addOption(quietOption())
    .addOption(verboseOption())
    .option('--json', 'print the result as JSON')
    .action((experiment: string | undefined, options: VerbOptions) =>
      runVerb(experiment, stages[command.name()] ?? { load: true, run: true }, options, io),
    );
};
