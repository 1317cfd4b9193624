import type { SeriesRow } from '../contract/metric.ts';
import type { CarriedOutStep, Result, RunRecord } from '../contract/result.ts';
import type { LaterFindings, Trial } from '../contract/trial.ts';
import type { SeriesSource } from './series.ts';

/** Everything of a run but its result: what the result is made of. */
export interface StoredRun {
  run: RunRecord;
  /** What was carried out beside the trials, in order. */
  steps: CarriedOutStep[];
  /** In the order in which they ended, with what was found later. */
  trials: Trial[];
}

/** Where one run is kept: a folder, or a bucket behind a folder. Each file is written once, or grows by a line. */
export interface RunStore {
  /** As the user would name it: a path or an s3:// address. */
  location: string;
  /** A folder for what belongs to no trial, such as the log of loading. */
  folder: string;
  /** A folder for the raw output of one trial; emptied when the trial is measured anew. */
  trialFolder(id: string): string;
  saveRun(run: RunRecord): Promise<void>;
  saveStep(step: CarriedOutStep): Promise<void>;
  /** A trial is kept whole or not at all. Returns it with references to its series. */
  saveTrial(trial: Trial, series: readonly SeriesRow[]): Promise<Trial>;
  saveLater(trialId: string, findings: LaterFindings): Promise<void>;
  saveResult(result: Result): Promise<void>;
  /**
   * Brings what was not saved by name, such as reports and logs, to where readers look.
   *
   * @throws {UserError} where that is not possible; the folder holds everything all the same.
   */
  publish(): Promise<void>;
  series: SeriesSource;
}
