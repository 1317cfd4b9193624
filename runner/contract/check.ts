import { z } from 'zod';
import { outsideReasonSchema } from './errors.ts';
import { headShape } from './versioned-file.ts';

/**
 * One line of the validity ledger. `fail` withholds the verdict of every comparison that the trial counts for. `warn` should
 * be known before one believes the verdict. `not assessed` says what could not be judged, and why.
 */
export const checkSchema = z.object({
  /** What was looked at, in words that need no context: `clock`, `server version`. */
  name: z.string(),
  state: z.enum(['pass', 'warn', 'fail', 'not assessed']),
  /** What was found, with its values; a sentence without its full stop. */
  finding: z.string(),
  /** Of a failed check of a trial: what failed it, if that lies outside the servers. Only then is the block measured again. */
  outside: outsideReasonSchema.optional(),
});

export type Check = z.output<typeof checkSchema>;
export type CheckState = Check['state'];

export function failures(checks: readonly Check[]): Check[] {
  return checks.filter(({ state }) => state === 'fail');
}

/** A problem of an experiment, with profile and `common` applied, whose line in the file is not known yet. */
export interface RuleProblem {
  path: readonly PropertyKey[];
  message: string;
  /** False if the value explains nothing, such as a map that lacks a key. */
  showValue?: boolean;
}

/** A problem at this path if something does not hold. */
export function unless(holds: boolean, path: string[], message: string): RuleProblem[] {
  return holds ? [] : [{ path, message }];
}

/** What one probe of a live system found. Each problem is a sentence that says what to do. */
export const probeOutcomeSchema = z.object({
  /** What was looked at, such as `results can be written`. */
  name: z.string(),
  /** Empty if all is well. */
  problems: z.array(z.string()),
  /** If all is well: what was found, in a few words. */
  detail: z.string(),
  /** What one should know although nothing stands in the way; a sentence each. */
  notes: z.array(z.string()).default([]),
});

export type ProbeOutcome = z.output<typeof probeOutcomeSchema>;

/** Name of the object that the pre-flight writes, below the prefix of a deploy. */
export const preflightName = 'driver/preflight.json';

export const preflightHead = { kind: 'pgduet-preflight', schemaVersion: 1 } as const;

export const preflightSchema = z.object({
  ...headShape(preflightHead),
  toolVersion: z.string(),
  /** null while it goes on. */
  endedAt: z.string().nullable(),
  outcomes: z.array(probeOutcomeSchema),
});

export type PreflightObject = z.output<typeof preflightSchema>;

export const preflightFile = {
  ...preflightHead,
  what: 'what a pre-flight found',
  schema: preflightSchema,
  remedy: 'Has the stack been deployed by this pgduet?',
  olderRemedy: 'Watch it with the pgduet that deployed it.',
};

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
