import type { SeriesRow } from '../contract/metric.ts';
import type { CarriedOutStep, Result } from '../contract/result.ts';
import type { RunRecord } from '../contract/run-record.ts';
import type { ChangedFileError, DamagedFileError } from '../contract/versioned-file.ts';
import type { KnownFolder } from '../files/open-folder.ts';
import type { LaterFindings, Trial } from '../contract/trial.ts';
import type { SeriesSource } from './series.ts';

/** Everything in a run except its result, which is made from this. */
export interface StoredRun {
  run: RunRecord;
  /** What was carried out besides the trials, in order. */
  steps: CarriedOutStep[];
  /** In the order in which the trials ended, with what was found later. */
  trials: Trial[];
  /** Trials whose files are damaged, so it is unknown what they measured. */
  unreadable: readonly UnreadableTrial[];
  /** Files that are missing or do not match the manifest of the run. Those of trials are also among the unreadable. */
  disagreements: readonly ChangedFileError[];
  /** What is unknown because other files do not count, in words. */
  caveats: readonly string[];
  /** Ids of the trials about which something was found later, which their checks do not consider. */
  foundLater: ReadonlySet<string>;
}

export interface UnreadableTrial {
  id: string;
  error: DamagedFileError;
}

/** Whether a run is in a bucket, and not in a folder. @param location as users write it, such as `s3://results/quick/` */
export function isRemote(location: string): boolean {
  return location.startsWith('s3://');
}

/** Number and total size of the files that are where readers look. */
export interface Published {
  objects: number;
  sizeBytes: number;
}

/**
 * Place where one run is kept: a folder, or a bucket behind a folder. Each file is written once, or grows by a line at
 * a time. If the path of the folder now leads to another one, everything here throws a UserError and writes nothing
 * there.
 */
export interface RunStore {
  /** As the user would write it: a path or an s3:// address. */
  location: string;
  /**
   * Folder for what belongs to no trial, such as the log of loading.
   *
   * @throws {UserError} if its path now leads elsewhere: someone has moved, removed or replaced the folder
   */
  readonly folder: string;
  /**
   * The same, for code that writes a file into it: so nothing is written to another folder that takes over its path.
   */
  readonly known: KnownFolder;
  /** Makes the folder for the raw output of a trial that begins. No trial on record may have this id. */
  trialFolder(id: string): string;
  saveRun(run: RunRecord): Promise<void>;
  saveStep(step: CarriedOutStep): Promise<void>;
  /**
   * Records how far a trial has come, as it should be read if the trial gets no further. `saveTrial` replaces this.
   */
  noteTrial(trial: Trial): Promise<void>;
  /** Saves a trial as a whole or not at all, and seals its files. Returns it with references to its series. */
  saveTrial(trial: Trial, series: readonly SeriesRow[]): Promise<Trial>;
  /** Records that a saved trial counts as cut off, because its files are no longer whole. They lose their lines in the manifest. */
  giveUp(trial: Trial): Promise<void>;
  /** Saves what a source found later, with its series. Returns it with references to the series. */
  saveLater(trialId: string, findings: LaterFindings, series?: readonly SeriesRow[]): Promise<LaterFindings>;
  /** Saves the result, and seals all that is not sealed yet. */
  saveResult(result: Result): Promise<void>;
  /**
   * Makes the folder of an earlier start ready for more trials: removes the result, since soon it will not be the result
   * of all trials, and files that are half written, and seals the record of the run where the start was cut off before it
   * could.
   */
  goOn(): Promise<void>;
  /**
   * Publishes files that no other method saves, such as reports and logs, where readers look for them.
   *
   * @returns what was then proved to be there; null if the folder itself is the place
   * @throws {UserError} if that is not possible; the folder still holds everything
   */
  publish(): Promise<Published | null>;
  series: SeriesSource;
}
