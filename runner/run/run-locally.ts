import path from 'node:path';
import { newFolderStore } from '../storage/folder-store.ts';
import type { ResultStore } from '../storage/result-store.ts';
import type { Result } from '../contract/result.ts';
import { carryOutRun, nothingEarlier } from './carry-out-run.ts';
import type { Io } from '../cli/io.ts';
import { prepareLocalPlace } from '../places/local/prepare-place.ts';
import { prepareRun } from './prepare-run.ts';
import { presentResult } from './present-result.ts';
import { showProgress } from '../report/terminal/progress.ts';
import { unfinishedRun } from './unfinished-run.ts';
import type { Stages, VerbOptions } from './verb-options.ts';

/** Carries out one of the three verbs on this machine, and leaves result.json and the report where the last line says. */
export async function runLocally(name: string, stages: Stages, options: VerbOptions, io: Io): Promise<void> {
  const run = prepareRun(name, { ...options, profile: options.profile ?? 'local' }, io);
  if (!run) return;
  const progress = showProgress(run.plan, io);
  const { place, programs } = await prepareLocalPlace(
    run.experiment,
    { ...options, kept: !stages.load },
    io,
    progress.say,
  );
  let outcome: { result: Result; store: ResultStore } | null = null;
  let succeeded = false;
  try {
    const results = path.resolve(io.workingFolder, options.out, run.experiment.name);
    const { store, earlier } = options.resume
      ? await unfinishedRun(results, run)
      : { store: newFolderStore(results, new Date()), earlier: nothingEarlier(new Date()) };
    const result = await carryOutRun(
      run,
      { place, programs, store },
      { stages, earlier, dollarsPerHour: null, report: progress.report, signal: io.signal },
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
  if (outcome) await presentResult(outcome.result, outcome.store, options, io);
  io.signal.throwIfAborted();
}
