import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { execute } from '../execute/execute.ts';
import { loadExperiment } from '../experiment/load.ts';
import { makePlan } from '../experiment/plan.ts';
import type { Experiment } from '../experiment/schema.ts';
import { UserError } from '../experiment/user-error.ts';
import { readDriver } from '../observe/driver.ts';
import { pgbench } from '../workloads/pgbench/load-generator.ts';
import { renderPlan } from '../report/plan-text.ts';
import { renderTerminal } from '../report/terminal.ts';
import { writeReport } from '../report/write-report.ts';
import { newFolderStore, resumeFolderStore } from '../results/folder-store.ts';
import type { ResultStore } from '../results/result-store.ts';
import type { Result } from '../results/result.ts';
import type { Io } from './io.ts';
import { prepareLocalPlace } from './prepare-place.ts';
import { showProgress } from './progress.ts';

export interface VerbOptions {
  local?: true;
  profile?: string;
  seed?: number;
  out: string;
  resume?: true;
  keep?: true;
  pgBindir?: string;
  volumes: 'auto' | 'limited' | 'folders';
  dryRun?: true;
  json?: true;
}

/** Carries out one of the three verbs, and leaves result.json and the report where the last line says. */
export async function runExperiment(
  name: string,
  stages: { load: boolean; run: boolean },
  options: VerbOptions,
  io: Io,
): Promise<void> {
  const loaded = loadExperiment(name, {
    folder: io.workingFolder,
    profile: options.profile ?? (options.local ? 'local' : undefined),
  });
  const { protocol } = loaded.experiment;
  const experiment = { ...loaded.experiment, protocol: { ...protocol, seed: options.seed ?? protocol.seed } };
  const plan = makePlan(experiment, loaded.profile, loaded.warnings);
  const planText = renderPlan(plan, null, { columns: io.columns });
  if (options.dryRun) {
    io.stdout.write(options.json ? `${JSON.stringify(plan, null, 2)}\n` : planText);
    return;
  }
  io.stderr.write(`${planText}\n`);
  if (!options.local) {
    throw new UserError(
      `${experiment.name} is not deployed from here yet: finding deployed instances comes with the CDK app. Add --local to run it on this machine.`,
    );
  }

  const progress = showProgress(plan, io);
  const { place, programs } = await prepareLocalPlace(experiment, { ...options, kept: !stages.load }, io, progress.say);
  let outcome: { result: Result; store: ResultStore } | null = null;
  let succeeded = false;
  try {
    for (const caveat of place.caveats) progress.report({ kind: 'warning', text: caveat });
    const results = path.resolve(io.workingFolder, options.out, experiment.name);
    const { store, earlier } = options.resume
      ? await resume(results, experiment, loaded.profile)
      : { store: newFolderStore(results, new Date()), earlier: null };
    const generator = pgbench({
      workload: experiment.workload,
      programs,
      scriptFolder: path.dirname(loaded.path),
      logTransactions: experiment.collect.includes('transaction-log'),
    });
    const result = await execute(
      {
        plan,
        experiment,
        place,
        generator,
        store,
        report: progress.report,
        signal: io.signal,
        now: () => new Date(),
        readDriver,
        pause: (seconds, signal) => sleep(seconds * 1000, undefined, { signal }),
      },
      stages,
      earlier,
    );
    if (result) outcome = { result, store };
    succeeded = true;
  } finally {
    progress.end();
    // Loading alone is of use only to a later `run`.
    const keep = options.keep ?? (succeeded && !stages.run);
    const kept = await place.close({ keep });
    if (kept !== null) io.stderr.write(`${kept}\n`);
  }
  if (outcome) await present(outcome.result, outcome.store, options, io);
  io.signal.throwIfAborted();
}

/**
 * What an unfinished run of the same experiment left, to go on with.
 *
 * @throws {UserError} where it measured something else: its trials would be taken for this one's.
 */
async function resume(
  results: string,
  experiment: Experiment,
  profile: string,
): Promise<{ store: ResultStore; earlier: Result }> {
  const store = resumeFolderStore(results);
  const result = await store.readResult();
  if (!isDeepStrictEqual(result.experiment.definition, jsonCopy(experiment)) || result.experiment.profile !== profile) {
    throw new UserError(
      `--resume: ${store.location} measured something else (profile ${result.experiment.profile}, seed ${result.experiment.seed}), or the file has changed since. Leave --resume out to begin anew.`,
    );
  }
  if (result.complete)
    throw new UserError(`--resume: ${store.location} is complete. Leave --resume out to begin anew.`);
  return { store, earlier: { ...result, trials: await store.readTrials() } };
}

/** As it comes back from a file: without what is undefined. */
function jsonCopy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

async function present(result: Result, store: ResultStore, options: VerbOptions, io: Io): Promise<void> {
  await writeReport(store.folder, result);
  if (options.json) io.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  else io.stdout.write(`${renderTerminal(result, { columns: io.columns, colour: io.colour })}\n`);
  if (!result.complete) io.setExitCode(1);
  const report = path.join(store.location, 'report.html');
  const shown = path.relative(io.workingFolder, report);
  io.stderr.write(`\nReport: ${shown.startsWith('..') ? report : shown}\n`);
}
