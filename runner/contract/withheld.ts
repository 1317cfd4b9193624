import * as z from 'zod';
import { type Meaning, unnamedMeaning, unnamedMessage } from './meaning.ts';

/**
 * Why there is no verdict, besides failed checks, by ids for scripts. Ids never change; words may.
 * docs/reference/failures.md lists all.
 */
export const withheldMeanings = {
  'order-not-random': {
    meaning: 'The order of the trials is not random.',
    remedy: 'Set protocol.order to random.',
    needsEdit: true,
  },
  'given-rate': {
    meaning: 'The offered rate determines the deciding metric.',
    remedy: 'Declare a latency, or omit the rate.',
    needsEdit: true,
  },
  'short-trials': {
    meaning: 'Trials are too short for the deciding metric.',
    remedy: 'Make the trials longer.',
    needsEdit: true,
  },
  'short-tail': {
    meaning: 'Trials have too few transactions for the deciding percentile.',
    remedy: 'Make the trials longer, or declare a lower percentile.',
    needsEdit: true,
  },
  'too-few-blocks': {
    meaning: 'A verdict needs more valid blocks.',
    remedy: 'Measure more blocks.',
    needsEdit: true,
  },
  'too-few-beside-unknown': {
    meaning: 'Blocks were lost, so a verdict needs more blocks.',
    remedy: 'Find out why trials were lost, then rerun.',
  },
  unbounded: {
    meaning: 'The values leave the interval unbounded.',
    remedy: 'Declare another metric.',
    needsEdit: true,
  },
  'ended-early': {
    meaning: 'The run ended before all planned blocks, and not as planned.',
    remedy: 'Continue the run with --resume.',
  },
  'ended-by-trial': {
    meaning: 'A failed trial ended the run before all planned blocks.',
    remedy: 'Fix the cause, then continue the run with --resume.',
  },
  'resumed-before-limit': {
    meaning: 'The run was cut off and resumed before a limit stopped it.',
    remedy: 'Start a new run, without --resume.',
  },
  'stopped-for-futility': {
    meaning: 'The run ended because the remaining blocks were unlikely to give an answer.',
    remedy: 'Plan more blocks, or set protocol.stopForFutility to false.',
    needsEdit: true,
  },
  'chosen-afterwards': {
    meaning: 'The metric, the threshold, the level or the baseline was chosen after the run.',
    remedy: 'Declare it before the next run.',
    needsEdit: true,
  },
  'one-side-missing': {
    meaning: 'One side was not measured at this level, or lost all of its trials there.',
    remedy: 'Measure both sides at this level.',
    needsEdit: true,
  },
  'incomparable-sides': {
    meaning: 'The sides differ in something that the metric depends on.',
    remedy: 'Measure both sides the same way.',
    needsEdit: true,
  },
  'separate-runs': {
    meaning: 'The sides were not measured in one run, so their order was not random.',
    remedy: 'Measure both as variants of one experiment.',
    needsEdit: true,
  },
  'lost-trials': {
    meaning: 'A side lost trials, and those that remain may be its better ones.',
    remedy: 'Find out why its trials failed, then rerun.',
  },
  ...unnamedMeaning('reason'),
} as const satisfies Record<string, Meaning>;

type WithheldId = keyof typeof withheldMeanings;

/** Files of earlier versions have only the message. */
export const withheldReasonSchema = z.preprocess(
  (value) => unnamedMessage(value, { trial: null }),
  z.object({
    /** The failed check (docs/reference/checks.md), or a WithheldId. */
    id: z.string(),
    /** A phrase, with its values. */
    message: z.string(),
    /** Id of the first trial that failed the check; null if it is not one of trials. */
    trial: z.string().nullable(),
  }),
);

/** One reason why there is no verdict. */
export type WithheldReason = z.output<typeof withheldReasonSchema>;

/** A reason that is no failed check. */
export function reason(id: WithheldId, message: string): WithheldReason {
  return { id, message, trial: null };
}

/** All reasons in one phrase. */
export function reasonsInWords(reasons: readonly WithheldReason[]): string {
  return reasons.map(({ message }) => message).join('; ');
}
