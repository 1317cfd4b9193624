import type { Meaning } from './meaning.ts';
import type { RunHashes } from './run-hashes.ts';

/** What `pgduet verify` can find wrong with a run, by ids for scripts. Ids never change; words may. */
export const findingMeanings = {
  'no-manifest': {
    meaning: 'The run has no SHA256SUMS, so changes to its files cannot be detected.',
    remedy: 'Restore SHA256SUMS, or rerun.',
  },
  'file-changed': {
    meaning: 'A file does not match SHA256SUMS.',
    remedy: 'Restore the file. If you cannot, rerun.',
  },
  'file-missing': {
    meaning: 'SHA256SUMS names a missing file.',
    remedy: 'Restore the file. If you cannot, rerun.',
  },
  'file-unlisted': {
    meaning: 'A file of the run is not in SHA256SUMS.',
    remedy: 'Remove what does not belong to the run, or restore the manifest.',
  },
  'file-damaged': {
    meaning: 'A file is not in the expected format, although it may match SHA256SUMS.',
    remedy: 'Restore the file. If you cannot, rerun.',
  },
  'no-file': {
    meaning: 'A link, a pipe or a folder is in the place of a file. pgduet does not read it.',
    remedy: 'Replace it with the file itself.',
  },
  'impossible-number': {
    meaning: 'A count, a time or a speed of a trial is below zero.',
    remedy: 'Restore the trial’s files. If they are unchanged, report a bug.',
  },
  'numbers-disagree': {
    meaning: 'Speed, time and transactions of a trial contradict each other.',
    remedy: 'Restore the trial’s files. If they are unchanged, report a bug.',
  },
  'output-disagrees': {
    meaning: 'A trial’s record has another value than its raw output.',
    remedy: 'Trust the raw output, and restore the record.',
  },
  'output-missing': {
    meaning: 'Raw output of a trial is missing, so nothing confirms its numbers.',
    remedy: 'Restore the raw output.',
  },
  'check-disagrees': {
    meaning: 'A check fails for a trial, but its record does not say so.',
    remedy: 'Restore the trial’s files, or do not rely on the trial.',
  },
  'trial-unplanned': {
    meaning: 'The plan of the experiment has no such trial of this server.',
    remedy: 'Remove the trial, or restore the experiment.',
  },
  'trial-missing': {
    meaning: 'result.json has a trial whose files are missing.',
    remedy: 'Restore the files of the trial.',
  },
  'trial-unlisted': {
    meaning: 'The run has the files of a trial that result.json does not have.',
    remedy: 'Restore result.json, or remove the trial.',
  },
  'trial-disagrees': {
    meaning: 'A trial in result.json is not as in its own files.',
    remedy: 'Trust the trial’s files, and restore result.json.',
  },
  'comparison-disagrees': {
    meaning: 'A comparison in result.json, or their order, does not follow from the trials.',
    remedy: 'Do not rely on the comparison; restore result.json.',
  },
  'result-disagrees': {
    meaning: 'A field of result.json does not agree with the other files of the run, or does not follow from them.',
    remedy: 'Restore result.json.',
  },
  'plan-disagrees': {
    meaning: 'The saved plan does not follow from the experiment of the run.',
    remedy: 'Restore inputs/plan.json and the experiment.',
  },
} as const satisfies Record<string, Meaning>;

export type FindingId = keyof typeof findingMeanings;

/** Something that is wrong with a run. */
export interface Finding {
  id: FindingId;
  /** Of the trial that it is about. */
  trial?: string;
  /** Name of the file that it is about, relative to the run. */
  file?: string;
  /** What is wrong, with its values. */
  message: string;
}

/** What `pgduet verify` found about a run. Names of files are relative to it. */
export interface Verification {
  /** Path or address of the run. */
  location: string;
  /** Whether nothing was found. */
  agrees: boolean;
  /** What the run is known by, as its report has it, too. */
  hashes: RunHashes;
  /** Everything that is wrong: first files, then trials, then result.json. */
  findings: Finding[];
  files: {
    /** Whether the run has a manifest. */
    sealed: boolean;
    /** How many match the manifest. */
    agree: number;
    /** Files of a run that has not ended, which are not in the manifest yet. */
    open: string[];
    /**
     * Files that are not meant to be in the manifest, because they are made from other files, or count for nothing.
     * Their content is not checked. Not looked for in a bucket.
     */
    unchecked: string[];
  };
  trials: {
    /** Finished trials whose numbers were checked against each other. */
    checked: number;
    /** Those of them whose raw output was read again. */
    readAgain: number;
  };
  /**
   * Whether all that follows from the trials was computed again and compared with result.json; null without
   * result.json.
   */
  resultMadeAgain: boolean | null;
}
