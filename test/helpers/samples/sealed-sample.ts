import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { assembleResult } from '../../../runner/analysis/assemble.ts';
import { checkSavedTrial } from '../../../runner/analysis/validity/rejudge.ts';
import type { Trial } from '../../../runner/contract/trial.ts';
import { makePlan } from '../../../runner/experiment/plan/plan.ts';
import { readSums, sumsText } from '../../../runner/files/sums.ts';
import { planFile } from '../../../runner/storage/run-files.ts';
import { runFolder } from '../../../runner/storage/run-folder.ts';
import { asSeries } from '../../../runner/storage/series.ts';
import { withLater } from '../../../runner/storage/stored-run.ts';
import type { RunRecord } from '../../../runner/contract/run-record.ts';
import { toolOf } from '../../../runner/workloads/registry.ts';
import { pgbenchOutput } from './pgbench-output.ts';
import { recordSample, type SampleOptions } from './sample-result.ts';

/** Saves a sample run in its folder as a run does, with all kinds of files that a run leaves, and their manifest. */
export async function saveSealedSample(folder: string, options: SampleOptions = {}): Promise<void> {
  const { trials: recorded, rows, endedAt, ...sample } = recordSample(options);
  const run = { ...sample.run, experiment: { ...sample.run.experiment, file: 'inputs/files/quick.yaml' } };
  mkdirSync(path.join(folder, 'inputs/files'), { recursive: true });
  const store = runFolder(folder, folder);
  const plan = makePlan(run.experiment.definition, run.experiment.profile);
  writeFileSync(path.join(folder, planFile), JSON.stringify(plan));
  writeFileSync(path.join(folder, 'inputs/files/quick.yaml'), 'name: quick\n');
  await store.saveRun(run);
  const step = { step: 'load', startedAt: run.startedAt, endedAt: run.startedAt } as const;
  await store.saveStep(step);
  writeFileSync(path.join(folder, 'load-without-log-volume.log'), 'done\n');
  const trials: Trial[] = [];
  for (const trial of recorded) {
    const place = store.trialFolder(trial.id);
    await store.noteTrial({ ...trial, state: 'interrupted', measures: {}, series: [] });
    mkdirSync(path.join(place, 'raw'));
    writeFileSync(path.join(place, 'raw/log.1.gz'), 'of another tool');
    writeFileSync(path.join(place, 'output.log'), 'progress\n');
    const own = rows.get(trial.id) ?? [];
    if (trial.state === 'finished') {
      const printed = { ...trial, measures: await printedMeasures(run, trial, place) };
      trials.push(await store.saveTrial({ ...printed, checks: checkSavedTrial(run, printed, asSeries(own)) }, own));
    } else trials.push(await store.saveTrial(trial, own));
  }
  const [first] = trials;
  if (first?.state === 'finished') {
    const later = { collector: 'cloudwatch', measures: {}, facts: {} };
    const rows = [{ second: 0, name: 'cloudwatch.writeIOPS', value: 1 }];
    const merged = withLater(first, [await store.saveLater(first.id, later, rows)]);
    trials[0] = { ...merged, checks: checkSavedTrial(run, merged, await store.series.read(merged)) };
  }
  writeFileSync(path.join(folder, '.uploaded.json'), '{}');
  await store.saveResult(await assembleResult({ run, steps: [step], trials }, { endedAt }, store.series));
}

/**
 * Saves one for all tests of a file, since that takes ten times as long as a copy.
 *
 * @returns copies it into a folder
 */
export function sealedSampleToCopy(options: SampleOptions): (folder: string) => void {
  let sample: string;
  beforeAll(async () => {
    sample = mkdtempSync(path.join(tmpdir(), 'sealed-sample-'));
    await saveSealedSample(sample, options);
  });
  afterAll(() => rmSync(sample, { recursive: true }));
  return (folder) => cpSync(sample, folder, { recursive: true, preserveTimestamps: true });
}

/** Leaves the output of pgbench in the folder of a trial, without a log. @returns the measures of the trial, as they were printed */
async function printedMeasures({ experiment }: RunRecord, trial: Trial, folder: string): Promise<Trial['measures']> {
  const { workload } = experiment.definition;
  const { tps = null, transactions = null } = trial.measures;
  const { durationSeconds } = toolOf(workload).shape(workload);
  const length = durationSeconds === null ? {} : { durationSeconds };
  const clients = 8;
  const latencyMs = tps === null ? 0 : (1000 * clients) / tps;
  const output = pgbenchOutput({ tps: tps ?? 0, requested: transactions ?? 0, clients, latencyMs, ...length });
  writeFileSync(path.join(folder, 'pgbench.stdout.log'), output);
  writeFileSync(path.join(folder, 'pgbench.stderr.log'), '\n');
  const options = { startedAt: new Date(trial.startedAt), signal: new AbortController().signal };
  const printed = await toolOf(workload).reparse?.(workload, folder, options);
  const withoutLog = Object.entries(trial.measures).filter(([name]) => !name.startsWith('log.'));
  return { ...Object.fromEntries(withoutLog), ...printed };
}

/** Makes the manifest anew of what is there, as whoever changed a file may do. */
export function sealAgain(folder: string): void {
  const files = allFiles(folder).filter(
    (file) => !file.startsWith('SHA256SUMS') && !path.basename(file).startsWith('.'),
  );
  const sums = execFileSync('sha256sum', files.sort(), { cwd: folder, encoding: 'utf8' });
  writeFileSync(path.join(folder, 'SHA256SUMS'), sums);
}

/** Takes the line of a file out of the manifest. */
export function unseal(folder: string, name: string): void {
  const sums = new Map(readSums(folder));
  if (!sums.delete(name)) throw new Error(`${name} has no line`);
  writeFileSync(path.join(folder, 'SHA256SUMS'), sumsText(sums));
}

/** Relative paths of all files in a folder. */
export function allFiles(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => statSync(path.join(folder, name)).isFile());
}
