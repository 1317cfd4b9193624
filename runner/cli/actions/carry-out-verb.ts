import path from 'node:path';
import { decidingMetric } from '../../contract/experiment/schema.ts';
import { UserError } from '../../contract/errors.ts';
import type { FoundExperiment } from '../../experiment/file/find.ts';
import { type Progress, showProgress } from '../../report/terminal/progress.ts';
import { endLine } from '../../report/terminal/status-text.ts';
import { wrapLines } from '../../report/media/wrap.ts';
import type { Obstacle, VolumesChoice } from '../../places/local/volumes/choose-volumes.ts';
import type { PreparedRun } from '../../run/execution.ts';
import { withResultsLocked } from '../../storage/results-folder.ts';
import type { FoundBinding } from '../../run/deployed/binding.ts';
import { type FailOnOptions, failOnUnwanted, type Loudness } from '../options.ts';
import type { Io } from '../io.ts';
import { prepareRun, resultsFolder, savingBy } from './prepare-run.ts';
import { requireTerminal, withLiveRun } from './serve-live.ts';
import { awaitsResume } from '../../analysis/claims.ts';
import type { Result } from '../../contract/result.ts';
import { renderAnswersOf, renderEnd, renderTerminal } from '../../report/terminal/terminal.ts';
import { writeReport } from '../../report/write-report.ts';
import type { RunStore } from '../../storage/run-store.ts';
import { controlsOf } from '../../experiment/groups.ts';

/** Options of `load`, `run` and `load-run`. */
export interface VerbOptions extends FailOnOptions, Loudness {
  local?: true;
  binding?: string;
  owner?: string;
  region?: string;
  profile?: string;
  seed?: number;
  out: string;
  resume?: true;
  blind?: true;
  live?: true;
  keep?: true;
  pgBindir?: string[];
  /** @default those of the repeated run, otherwise auto */
  volumes?: VolumesChoice;
  dryRun?: true;
  json?: true;
}

export interface Stages {
  load: boolean;
  run: boolean;
}

/** Carries out one of the three verbs, on this machine or on a deployed stack. */
export async function carryOutVerb(
  name: string | undefined,
  stages: Stages,
  options: VerbOptions,
  io: Io,
): Promise<void> {
  if (options.local) {
    if (name === undefined) throw new UserError('Which experiment? Name one under experiments/, or give a path.');
    await carryOutHere(name, stages, options, io);
  } else {
    if (options.keep || options.volumes) {
      throw new UserError(
        `--${options.keep ? 'keep' : 'volumes'} is for a run on this machine: add --local, or leave it out`,
      );
    }
    await carryOutOnDeployed(name, stages, options, io);
  }
  io.signal.throwIfAborted();
}

/**
 * Carries out a run on this machine, with a private server for each variant.
 *
 * @returns null if there is no result, such as after a dry run
 */
export async function carryOutHere(
  name: string | FoundExperiment,
  stages: Stages,
  options: VerbOptions,
  io: Io,
): Promise<Result | null> {
  if (options.live) requireTerminal(io);
  const findObstacle = (): Promise<Obstacle | null> => obstacleTo(options, io);
  const run = await prepareRun(name, { ...options, preferredProfile: 'local', findObstacle }, null, io);
  if (!run) return null;
  const { runHere } = await import('../../run/here.ts');
  const where = whereResultsGo(run, options, io);
  return withResultsLocked(where.results, () =>
    withLiveRun(run, options, io, async (live) => {
      const outcome = await withProgress(run, options, io, ({ say, report }) =>
        runHere(run, {
          stages,
          ...where,
          blind: options.blind,
          keep: options.keep,
          place: { pgBindir: options.pgBindir, volumes: volumesFor(run, options, io), environment: io.environment },
          say,
          report: live ? live.reportAfter(report) : report,
          onlooker: live ?? undefined,
          signal: io.signal,
        }),
      );
      if (!outcome) return null;
      await presentResult(outcome.result, outcome.store, { ...options, isMadeUp: typeof name !== 'string' }, io);
      await live?.showResult(outcome.result, outcome.store);
      return outcome.result;
    }),
  );
}

/** Why a run with these options cannot have limited volumes; null if it can. */
async function obstacleTo({ volumes, dryRun }: VerbOptions, io: Io): Promise<Obstacle | null> {
  if (volumes === 'limited') return null;
  if (volumes === 'folders') return { reason: 'this run has --volumes folders', remedy: 'Leave that option out' };
  const { findLimitsObstacle } = await import('../../places/local/open.ts');
  return findLimitsObstacle({ mayInstall: dryRun !== true, say: (line) => say(line, io), signal: io.signal });
}

/** A repeated run gets volumes of the same kind as the original, unless the user says otherwise. */
function volumesFor({ repeatedVolumes }: PreparedRun, { volumes }: VerbOptions, io: Io): VolumesChoice {
  if (repeatedVolumes === undefined || repeatedVolumes === volumes) return volumes ?? 'auto';
  say(
    volumes === undefined
      ? `The same volumes as in the run that is repeated: --volumes ${repeatedVolumes}.`
      : `warning: the run that is repeated had --volumes ${repeatedVolumes}, and this one has ${volumes}: a difference in the results may come from that.`,
    io,
  );
  return volumes ?? repeatedVolumes;
}

async function carryOutOnDeployed(
  name: string | undefined,
  stages: Stages,
  options: VerbOptions,
  io: Io,
): Promise<void> {
  if (options.live) {
    throw new UserError(
      '--live serves a page about a run on this machine (--local). For a deployed run: npx pgduet watch NAME --live',
    );
  }
  // Imported here, so that a local run does not load the libraries of AWS.
  const { findBinding } = await import('../../run/deployed/binding.ts');
  const { leaveRefusal } = await import('../../run/deployed/ended-run.ts');
  const found = await findBinding(name, options, io);
  try {
    await carryOutFound(found, stages, options, io);
  } catch (error) {
    const lasting = error instanceof UserError && !error.passing && !io.signal.aborted;
    // Anywhere but on the driver, a mistake in the command must not end the stack.
    if (lasting && options.binding !== undefined && !options.dryRun) {
      // If this fails too, the first error is the one to throw.
      await leaveRefusal(found, [error.message], savingBy(io)).catch((second: unknown) => say(second, io));
    }
    throw error;
  }
}

async function carryOutFound(found: FoundBinding, stages: Stages, options: VerbOptions, io: Io): Promise<void> {
  const { runDeployed } = await import('../../run/deployed/run-deployed.ts');
  const run = await prepareRun(
    found.experiment,
    { ...options, usualProfile: found.binding.experiment.profile },
    found.binding,
    io,
  );
  if (!run) return;
  const where = whereResultsGo(run, options, io);
  const ended = await withResultsLocked(where.results, () =>
    withProgress(run, options, io, (progress) =>
      runDeployed(run, found, {
        stages,
        ...where,
        blind: options.blind,
        pgBindir: options.pgBindir,
        environment: io.environment,
        ...progress,
        present(result, store) {
          progress.end();
          return presentResult(result, store, options, io);
        },
        signal: io.signal,
      }),
    ),
  );
  if (ended !== null)
    say(`This run has already ended, and all of its results are in S3. ${endLine(ended, new Date())}`, io);
}

function say(what: unknown, io: Io): void {
  io.stderr.write(`${wrapLines(what instanceof Error ? what.message : String(what), io.errorColumns)}\n`);
}

function whereResultsGo({ experiment }: PreparedRun, { out, resume }: VerbOptions, io: Io) {
  return { results: resultsFolder(out, experiment.name, io), resume: resume === true };
}

async function withProgress<T>(
  run: PreparedRun,
  loudness: Loudness,
  io: Io,
  carryOut: (progress: Progress) => Promise<T>,
): Promise<T> {
  const progress = showProgress(run.plan, decidingMetric(run.experiment.decision), { ...io, ...loudness });
  try {
    return await carryOut(progress);
  } finally {
    progress.end();
  }
}

/**
 * Makes the report, shows the result, and says at the end where the report is. A blind run that can be resumed shows
 * nothing yet.
 *
 * @param options.isMadeUp whether the command made the experiment, as `try` does: then it cannot resume the run itself
 */
export async function presentResult(
  result: Result,
  store: RunStore,
  options: { blind?: true; json?: true; isMadeUp?: boolean } & Loudness & FailOnOptions,
  io: Io,
): Promise<void> {
  if (options.blind && awaitsResume(result)) {
    await store.publish();
    io.setExitCode(1);
    const shown = `The run is not complete, so its figures stay hidden (--blind). Continue it with --resume --blind, or show the figures with: npx pgduet report ${store.folder}`;
    io.stderr.write(`\n${wrapLines(shown, io.errorColumns)}\n`);
    return;
  }
  await writeReport(store.known, result, store.series);
  await store.publish();
  if (options.json) io.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  else io.stdout.write(endText(result, options, io));
  if (!result.complete) io.setExitCode(1);
  failOnUnwanted(result.comparisons, controlsOf(result.experiment.definition), options, io);
  if (options.quiet) return;
  const location = shownLocation(store.location, io.workingFolder);
  io.stderr.write(`\nReport: ${location.replace(/\/$/, '')}/report.html\n`);
  if (!options.json && !options.verbose) say(`All tables, here: npx pgduet report ${location} --terminal`, io);
  if (awaitsResume(result)) {
    const command = options.isMadeUp
      ? `npx pgduet load-run ${location} --local --resume`
      : 'the same command with --resume';
    say(`The run is not complete. To measure the rest: ${command}`, io);
  }
}

/** Lines that a run's end has in all. */
const mostLines = 40;
/** Lines after the result: an empty one, and where the rest is, which may take several in a narrow terminal. */
const linesAfter = 6;

function endText(result: Result, { quiet, verbose }: Loudness, io: Io): string {
  if (quiet) return renderAnswersOf(result, io);
  return verbose ? renderTerminal(result, io) : renderEnd(result, io, mostLines - linesAfter);
}

function shownLocation(location: string, workingFolder: string): string {
  if (location.startsWith('s3://')) return location;
  const shown = path.relative(workingFolder, location) || '.';
  return shown.startsWith('..') ? location : shown;
}
