/** What `pgduet verify` found of a run. Names of files are relative to it. */
export interface Verification {
  /** Path or address of the run. */
  location: string;
  /** Whether nothing contradicts anything. */
  agrees: boolean;
  files: {
    /** Whether the run has a manifest. */
    sealed: boolean;
    /** How many are as the manifest has them. */
    agree: number;
    changed: string[];
    missing: string[];
    /** Files that are not in the manifest, of a run that has ended; of a bucket, nobody looks for them. */
    added: string[];
    /** Files of a run that has not ended, which are not in the manifest yet. */
    open: string[];
    /**
     * What lies there and is not meant to be in the manifest: it is made of other files, or counts for nothing. Nobody looks into
     * it; of a bucket, nobody looks for it.
     */
    unchecked: string[];
  };
  trials: {
    /** Finished trials whose numbers were held against each other. */
    checked: number;
    /** Those of them whose raw output was read again. */
    readAgain: number;
    problems: { trial: string; problem: string }[];
  };
  /** What in result.json is not as the trials have it. */
  result: string[];
  /** Whether all that follows from the trials was made again, and held against result.json; null if there is no result.json. */
  resultMadeAgain: boolean | null;
}
