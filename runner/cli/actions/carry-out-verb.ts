import { decidingMetric } from '../../contract/experiment/schema.ts';
import { UserError } from '../../contract/errors.ts';
import { type Progress, showProgress } from '../../report/terminal/progress.ts';
import { endLine } from '../../report/terminal/status-text.ts';
import { wrapLines } from '../../report/terminal/wrap.ts';
import type { VolumesChoice } from '../../places/local/volumes/choose-volumes.ts';
import type { PreparedRun } from '../../run/prepared-run.ts';
import { withResultsLocked } from '../../storage/results-lock.ts';
import type { FoundBinding } from '../../run/deployed/binding.ts';
import type { FailOnOptions } from '../fail-on.ts';
import type { Io } from '../io.ts';
import { savingBy } from './saving-by.ts';
import { prepareRun, resultsFolder } from './prepare-run.ts';
import { presentResult } from './present-result.ts';

/** Options of `load`, `run` and `load-run`. */
export interface VerbOptions extends FailOnOptions {
  local?: true;
  binding?: string;
  owner?: string;
  region?: string;
  profile?: string;
  seed?: number;
  out: string;
  resume?: true;
  blind?: true;
  keep?: true;
  pgBindir?: string[];
  /** @default those of the run that is repeated, or else auto */
  volumes?: VolumesChoice;
  dryRun?: true;
  json?: true;
}

export interface Stages {
  load: boolean;
  run: boolean;
}

/** Carries out one of the three verbs, here or on what was deployed. */
export async function carryOutVerb(
  name: string | undefined,
  stages: Stages,
  options: VerbOptions,
  io: Io,
): Promise<void> {
  if (options.local) {
    if (name === undefined) throw new UserError('Which experiment? Name one under experiments/, or a path.');
    await carryOutHere(name, stages, options, io);
  } else await carryOutOnDeployed(name, stages, options, io);
  io.signal.throwIfAborted();
}

async function carryOutHere(name: string, stages: Stages, options: VerbOptions, io: Io): Promise<void> {
  const run = await prepareRun(name, { ...options, usualProfile: 'local' }, null, io);
  if (!run) return;
  const { runHere } = await import('../../run/here.ts');
  const where = whereResultsGo(run, options, io);
  await withResultsLocked(where.results, async () => {
    const outcome = await withProgress(run, io, (progress) =>
      runHere(run, {
        stages,
        ...where,
        blind: options.blind,
        keep: options.keep,
        place: { pgBindir: options.pgBindir, volumes: volumesFor(run, options, io), environment: io.environment },
        ...progress,
        signal: io.signal,
      }),
    );
    if (outcome) await presentResult(outcome.result, outcome.store, options, io);
  });
}

/** A run is repeated on what it was on, unless the user says otherwise. */
function volumesFor({ repeatedVolumes }: PreparedRun, { volumes }: VerbOptions, io: Io): VolumesChoice {
  if (repeatedVolumes === undefined || repeatedVolumes === volumes) return volumes ?? 'auto';
  say(
    volumes === undefined
      ? `Repeated on what the run was on: --volumes ${repeatedVolumes}.`
      : `warning: the run that is repeated had --volumes ${repeatedVolumes}, and this one has ${volumes}: what differs may be that.`,
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
  // Imported here, so that a local run does not load the libraries of AWS.
  const { findBinding } = await import('../../run/deployed/binding.ts');
  const { leaveRefusal } = await import('../../run/deployed/ended-run.ts');
  const found = await findBinding(name, options, io);
  try {
    await carryOutFound(found, stages, options, io);
  } catch (error) {
    const lasting = error instanceof UserError && !error.passing && !io.signal.aborted;
    // Elsewhere than on the driver, a mistake in the command must not end the stack.
    if (lasting && options.binding !== undefined && !options.dryRun) {
      // The first error counts.
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
    withProgress(run, io, (progress) =>
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
  if (ended !== null) say(`The run had ended before, and everything of it is in S3. ${endLine(ended, new Date())}`, io);
}

function say(what: unknown, io: Io): void {
  io.stderr.write(`${wrapLines(what instanceof Error ? what.message : String(what), io.columns)}\n`);
}

function whereResultsGo({ experiment }: PreparedRun, { out, resume }: VerbOptions, io: Io) {
  return { results: resultsFolder(out, experiment.name, io), resume: resume === true };
}

async function withProgress<T>(run: PreparedRun, io: Io, carryOut: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = showProgress(run.plan, decidingMetric(run.experiment.decision), io);
  try {
    return await carryOut(progress);
  } finally {
    progress.end();
  }
}
