import * as z from 'zod';
import { type Meaning, unnamedMeaning, unnamedMessage } from './meaning.ts';
import { ownCommand } from './own-command.ts';

/**
 * What a plan, a run, a trial or a comparison warns of, by ids for scripts. What a check or a doubt says has their ids.
 * Ids never change; words may.
 */
export const warningMeanings = {
  'hidden-experiment': {
    meaning: 'Another experiment of this name is hidden by the one that was found.',
    remedy: 'Name the experiment by its path.',
  },
  variants: {
    meaning: 'The variants are equal, differ in their versions, or have something that a reader must know.',
    remedy: 'Change the variants, or keep it in mind with the answer.',
  },
  loading: {
    meaning: 'Loading takes another way than the trials, or its settings are not those of the trials.',
    remedy: 'Change the settings, or keep it in mind with the answer.',
  },
  'program-of-parameter': {
    meaning: 'A parameter has a program that is not part of the run’s inputs.',
    remedy: 'Keep the program as it is while you compare runs.',
  },
  unsynced: {
    meaning: 'A server that does not sync is compared at a place that does not keep data.',
    remedy: 'Set fsync to on, unless the question is about it.',
  },
  design: {
    meaning: 'The design can show less than it seems, or takes longer than it must.',
    remedy: 'Change the protocol as the message says.',
  },
  'reaches-outside': {
    meaning: 'A script or a file reads or changes what is not part of the run’s inputs.',
    remedy: 'Make that a part of the workload, or keep it as it is.',
  },
  'not-validated': {
    meaning: 'No program has read the scripts, or one of another version has.',
    remedy: 'Install the version that the run will use.',
  },
  'unknown-service': {
    meaning: 'libpq cannot use a service that the experiment names.',
    remedy: 'Put it into ~/.pg_service.conf, or correct it there.',
  },
  'newer-version': {
    meaning: 'PostgreSQL is newer than pgduet knows.',
    remedy: 'Use a newer pgduet, if there is one.',
  },
  'another-question': {
    meaning: 'This machine cannot limit volumes, so the run answers another question.',
    remedy: 'Measure where volumes can be limited, or on deployed instances.',
  },
  'code-of-others': {
    meaning: 'Part of the experiment is not yours.',
    remedy: 'Read it before you run it.',
  },
  'earlier-starts': {
    meaning: 'Something about earlier starts of the same question could not be counted.',
    remedy: 'Look at the list of starts that the message names.',
  },
  'few-transactions': {
    meaning: 'Trials will have too few transactions for the percentile that decides.',
    remedy: 'Make the trials longer.',
  },
  limits: {
    meaning: 'The limits do not hold what they seem to, or there are none.',
    remedy: 'Set limits.hours and limits.dollars.',
  },
  'databases-used': {
    meaning: 'The databases were not loaded for this run.',
    remedy: 'Deploy again, or run load first.',
  },
  'unproved-parameter': {
    meaning: 'A parameter could not be proved to be in force.',
    remedy: 'Ask the server for it.',
  },
  'stopped-early': {
    meaning: 'The run ended before all that it planned.',
    remedy: 'Remove the reason, then rerun.',
  },
  'loaded-settings': {
    meaning: 'Settings were others while the data was loaded.',
    remedy: 'Load all variants with the same settings, if it matters.',
  },
  resumed: {
    meaning: 'The run was continued after it had ended or was cut off.',
    remedy: 'Measure again without a break, if it matters.',
  },
  'block-missing': {
    meaning: 'A block is not part of the comparison, because a side of it was not measured to its end.',
    remedy: 'Look at why its trials failed.',
  },
  'block-unknown': {
    meaning: 'Blocks are unknown, and count as the worst case.',
    remedy: 'Look at why their trials were lost.',
  },
  'not-verified': {
    meaning: 'Files of the run are not as they were measured.',
    remedy: `Restore them. See all: ${ownCommand} verify DIR.`,
  },
  'no-manifest': {
    meaning: 'The run has no SHA256SUMS, as earlier versions left it.',
    remedy: 'Measure again, if it must be shown that nothing was changed.',
  },
  'files-left-out': {
    meaning: 'Files of the run are damaged or left out.',
    remedy: 'Restore them, if they matter.',
  },
  'sides-differ': {
    meaning: 'The sides of a comparison differ in more than what is compared.',
    remedy: 'Measure both sides the same way.',
  },
  reset: {
    meaning: 'A step before the trial did not do all of its work.',
    remedy: 'Correct what the message names, such as a right.',
  },
  'memory-dump': {
    meaning: 'A program crashed and left a core dump.',
    remedy: 'Look for the reason in the server’s log.',
  },
  measurement: {
    meaning:
      'Something beside the load could not be measured to its end, or shows that the load was not as it should be.',
    remedy: 'Correct what the message names.',
  },
  ...unnamedMeaning('warning'),
} as const satisfies Record<string, Meaning>;

export type WarningId = keyof typeof warningMeanings;

/** Files of earlier versions have only the message. */
export const warningSchema = z.preprocess(
  (value) => unnamedMessage(value),
  z.object({
    /** Its kind: a WarningId. */
    id: z.string(),
    /** A sentence, with its values. */
    message: z.string(),
  }),
);

export type Warning = z.output<typeof warningSchema>;

/** Warnings of one kind. */
export function warningsOf(id: WarningId, messages: readonly string[]): Warning[] {
  return messages.map((message) => ({ id, message }));
}

/** Each warning of a kind once. */
export function distinctWarnings(warnings: readonly Warning[]): Warning[] {
  return [...new Map(warnings.map((one) => [JSON.stringify([one.id, one.message]), one])).values()];
}
