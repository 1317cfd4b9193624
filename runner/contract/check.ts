import { z } from 'zod';
import { outsideReasonSchema } from './outside-reason.ts';

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
