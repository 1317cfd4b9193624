import * as z from 'zod';
import { checkIdOf, idAmong } from './earlier-words.ts';
import { externalReasonSchema } from './external-reasons.ts';
import type { RuleId } from './problem-rules.ts';

/** What a doubt could change, the gravest first. */
export const effects = ['answer', 'size', 'other-figures', 'none'] as const;
export type Effect = (typeof effects)[number];

/**
 * One line of the validity ledger. `fail` withholds the verdict of every comparison that the trial counts for. A reader
 * should know of a `warn` before believing the verdict. `not-assessed` says what could not be judged, and why.
 */
export const checkSchema = z
  .object({
    /** What was checked, for scripts: `clock`, `server-version`. docs/reference/checks.md lists all. Absent in earlier files. */
    id: z.string().optional(),
    /** The same in words that need no context. */
    name: z.string(),
    state: idAmong(['pass', 'warn', 'fail', 'not-assessed']),
    /** What was found, with its values; a sentence without its full stop. */
    finding: z.string(),
    /** For a failed check of a trial: the cause, if it is outside the servers. Only then is the block measured again. */
    outside: externalReasonSchema.optional(),
  })
  .transform(({ id, ...check }) => ({ id: id ?? checkIdOf(check.name), ...check }));

export type Check = z.output<typeof checkSchema>;
export type CheckState = Check['state'];

export function failedChecks(checks: readonly Check[]): Check[] {
  return checks.filter(({ state }) => state === 'fail');
}

/** Kinds of problems of an experiment file, for scripts; with each, whether a reader needs to see the value at its path. */
export const problemCodes = {
  /** No YAML, or a key twice. */
  syntax: false,
  missing: false,
  /** No such key; `allowed` are those that there are. */
  'unknown-key': false,
  /** No such parameter of PostgreSQL; `allowed` are those that there are. */
  'unknown-parameter': true,
  /** The key itself is wrong, or wrong beside the others. */
  'wrong-key': false,
  /** A part of the value, which the message names. */
  'wrong-part': false,
  'wrong-value': true,
  /** Only a deploy cannot have it. */
  'not-deployable': false,
} as const;
export type ProblemCode = keyof typeof problemCodes;

/** A problem of an experiment, with profile and `common` applied, whose line in the file is not known yet. */
export interface RuleProblem {
  /** @default wrong-value */
  code?: ProblemCode;
  /** The rule that it breaks. @default none: the form of the file is wrong */
  rule?: RuleId;
  path: readonly PropertyKey[];
  message: string;
  /** The words of which the one at the path may have meant one. */
  allowed?: readonly string[];
  /** A file that the value at the path names somewhere. The problem is where it is named. */
  named?: string;
}

/** A problem at this path, if a rule does not hold. */
export function problemUnless(
  rule: RuleId,
  holds: boolean,
  path: PropertyKey[],
  message: string,
  code?: ProblemCode,
): RuleProblem[] {
  return holds ? [] : [{ rule, path, message, ...(code && { code }) }];
}
