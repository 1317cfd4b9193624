import type { Result, Trial } from '../contract/result.ts';

/** Where the results of one run are kept: a folder, or a bucket behind a folder. */
export interface ResultStore {
  /** As the user would name it: a path or an s3:// address. */
  location: string;
  /** A folder for the raw output of one trial; emptied when the trial is measured anew. */
  trialFolder(id: string): string;
  /** A folder for what belongs to no trial, such as the log of loading. */
  folder: string;
  /** Atomic: a trial is kept whole or not at all. */
  saveTrial(trial: Trial): Promise<void>;
  saveResult(result: Result): Promise<void>;
  /**
   * Brings what was not saved by name, such as reports and logs, to where readers look.
   *
   * @throws {UserError} where that is not possible; the folder holds everything all the same.
   */
  publish(): Promise<void>;
  /** @throws {UserError} where there is none that can be read. */
  readResult(): Promise<Result>;
  /** The trials that earlier runs into this store finished, for --resume. */
  readTrials(): Promise<Trial[]>;
}
