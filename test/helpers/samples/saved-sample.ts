import { mkdirSync } from 'node:fs';
import { assembleResult } from '../../../runner/analysis/assemble.ts';
import type { Result } from '../../../runner/contract/result.ts';
import type { Trial } from '../../../runner/contract/trial.ts';
import { runFolder } from '../../../runner/storage/run-folder.ts';
import type { RecordedSample } from './changed-sample.ts';
import { recordSample, type SampleOptions } from './sample-result.ts';

/**
 * Saves a sample run in its folder as a run does: run.json, every trial with its series, result.json.
 *
 * @param change what is made of it before anything is saved
 */
export async function saveSample(
  folder: string,
  options: SampleOptions = {},
  change: (sample: RecordedSample) => void = () => {},
): Promise<Result> {
  mkdirSync(folder, { recursive: true });
  const sample = recordSample(options);
  change(sample);
  const { run, trials: recorded, rows, endedAt } = sample;
  const store = runFolder(folder, folder);
  await store.saveRun(run);
  const trials: Trial[] = [];
  for (const trial of recorded) {
    store.trialFolder(trial.id);
    trials.push(await store.saveTrial(trial, rows.get(trial.id) ?? []));
  }
  const result = await assembleResult({ run, steps: [], trials }, { endedAt }, store.series);
  await store.saveResult(result);
  return result;
}

/** Makes a folder that holds only a result.json, which may have been changed. */
export async function saveResult(folder: string, result: Result): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await runFolder(folder, folder).saveResult(result);
}
