import * as z from 'zod';
import { type Meaning, unnamedMeaning, unnamedMessage } from './meaning.ts';

/** What ends a run early, by ids for scripts. Ids never change; words may. docs/reference/failures.md lists all. */
export const stopMeanings = {
  'limit-reached': {
    meaning: 'The run reached `limits.hours` or `limits.dollars`.',
    remedy: 'Raise the limit, and start a new run.',
  },
  'measured-in-vain': {
    meaning: 'Too many blocks in a row had no valid trial.',
    remedy: 'Fix what invalidates the trials, then rerun.',
  },
  futility: {
    meaning: 'The remaining blocks were unlikely to give an answer.',
    remedy: 'Plan more blocks, or set protocol.stopForFutility to false.',
  },
  ...unnamedMeaning('reason'),
} as const satisfies Record<string, Meaning>;

type StopId = keyof typeof stopMeanings;

/** Files of earlier versions have only the message. */
export const stopReasonSchema = z.preprocess(
  (value) => unnamedMessage(value),
  z.object({
    /** A StopId. */
    id: z.string(),
    /** A sentence or more, with the values. */
    message: z.string(),
  }),
);

/** What ended a run early. */
export type StopReason = z.output<typeof stopReasonSchema>;

export function stopReason(id: StopId, message: string): StopReason {
  return { id, message };
}
