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
  },
  'given-rate': {
    meaning: 'The offered rate determines the deciding metric.',
    remedy: 'Declare a latency, or omit the rate.',
  },
  'short-trials': {
    meaning: 'Trials are too short for the deciding metric.',
    remedy: 'Make the trials longer.',
  },
  'short-tail': {
    meaning: 'Trials have too few transactions for the deciding percentile.',
    remedy: 'Make the trials longer, or declare a lower percentile.',
  },
  'too-few-blocks': {
    meaning: 'A verdict needs more valid blocks.',
    remedy: 'Measure more blocks.',
  },
  'too-few-beside-unknown': {
    meaning: 'Blocks were lost, so a verdict needs more blocks.',
    remedy: 'Find out why their trials were lost, then measure more blocks.',
  },
  unbounded: {
    meaning: 'The values leave the interval unbounded.',
    remedy: 'Declare another metric.',
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
  },
  'chosen-afterwards': {
    meaning: 'The metric, the threshold, the level or the baseline was chosen after the run.',
    remedy: 'Declare it before the next run.',
  },
  'one-side-missing': {
    meaning: 'One side was not measured at this level, or lost all of its trials there.',
    remedy: 'Measure both sides at this level.',
  },
  'incomparable-sides': {
    meaning: 'The sides differ in something that the metric depends on.',
    remedy: 'Measure both sides the same way.',
  },
  'separate-runs': {
    meaning: 'The sides were not measured in one run, so their order was not random.',
    remedy: 'Measure both as variants of one experiment.',
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
