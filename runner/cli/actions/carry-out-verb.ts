import { UserError } from '../../contract/errors.ts';
import { type Progress, showProgress } from '../../report/terminal/progress.ts';
import { wrapLines } from '../../report/terminal/wrap.ts';
import type { VolumesChoice } from '../../places/local/volumes/choose-volumes.ts';
import type { PreparedRun } from '../../run/local.ts';
import { withResultsLocked } from '../../storage/results-lock.ts';
import type { Io } from '../io.ts';
import { prepareRun, resultsFolder } from './prepare-run.ts';
import { presentResult } from './present-result.ts';

/** Options of `load`, `run` and `load-run`. */
export interface VerbOptions {
  local?: true;
  binding?: string;
  owner?: string;
  region?: string;
  profile?: string;
  seed?: number;
  out: string;
  resume?: true;
  keep?: true;
  pgBindir?: string;
  volumes: VolumesChoice;
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
  const run = prepareRun(name, { ...options, profile: options.profile ?? 'local' }, io);
  if (!run) return;
  const { runLocally } = await import('../../run/local.ts');
  const where = whereResultsGo(run, options, io);
  await withResultsLocked(where.results, async () => {
    const outcome = await withProgress(run, io, (progress) =>
      runLocally(run, {
        stages,
        ...where,
        keep: options.keep,
        place: { pgBindir: options.pgBindir, volumes: options.volumes, environment: io.environment },
        ...progress,
        signal: io.signal,
      }),
    );
    if (outcome) await presentResult(outcome.result, outcome.store, options, io);
  });
}

async function carryOutOnDeployed(
  name: string | undefined,
  stages: Stages,
  options: VerbOptions,
  io: Io,
): Promise<void> {
  // Imported here, so that a local run does not load the libraries of AWS.
  const { findBinding } = await import('../../places/deployed/find-binding.ts');
  const { runDeployed } = await import('../../run/deployed.ts');
  const found = await findBinding(name, options, io.workingFolder);
  const run = prepareRun(
    found.experiment,
    { ...options, profile: options.profile ?? found.binding.experiment.profile },
    io,
  );
  if (!run) return;
  const where = whereResultsGo(run, options, io);
  const measuredBefore = await withResultsLocked(where.results, () =>
    withProgress(run, io, (progress) =>
      runDeployed(run, found, {
        stages,
        ...where,
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
  if (measuredBefore !== null) {
    const text = `Every trial has been measured; the results are in ${measuredBefore}`;
    io.stderr.write(`${wrapLines(text, io.columns)}\n`);
  }
}

function whereResultsGo({ experiment }: PreparedRun, { out, resume }: VerbOptions, io: Io) {
  return { results: resultsFolder(out, experiment.name, io), resume: resume === true };
}

async function withProgress<T>(run: PreparedRun, io: Io, carryOut: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = showProgress(run.plan, run.experiment.decision.metric, io);
  try {
    return await carryOut(progress);
  } finally {
    progress.end();
  }
}
