import * as z from 'zod';
import { type Meaning, unnamedMeaning, unnamedMessage } from './meaning.ts';
import { ownCommand } from './own-command.ts';

/**
 * What a plan, a run, a trial or a comparison warns of, by ids for scripts. What a check or a doubt says has their ids.
 * Ids never change; words may.
 */
export const warningMeanings = {
  'hidden-experiment': {
    meaning: 'The experiment that was found hides another one of this name.',
    remedy: 'Name the experiment by its path.',
  },
  variants: {
    meaning: 'The variants are equal, have different versions, or are less durable.',
    remedy: 'Change the variants, or allow for it when you read the answer.',
  },
  loading: {
    meaning: 'Data is loaded with other settings than the trials use.',
    remedy: 'Change the settings, or allow for it when you read the answer.',
  },
  'program-of-parameter': {
    meaning: 'A parameter names a program that is not part of the run’s inputs.',
    remedy: 'Keep the program as it is while you compare runs.',
  },
  unsynced: {
    meaning: 'fsync is off for only some of the variants.',
    remedy: 'Set fsync to on, unless the question is about it.',
  },
  design: {
    meaning: 'The design can show less than it seems to, or needs more time than necessary.',
    remedy: 'Change the protocol as the message says.',
  },
  'reaches-outside': {
    meaning: 'A script or a file reads or changes something outside the run’s inputs.',
    remedy: 'Make it part of the workload, or do not change it between runs.',
  },
  'not-validated': {
    meaning: 'The scripts were not checked, or by another version of their program.',
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
    meaning: 'Some earlier runs of the same question could not be counted.',
    remedy: 'Look at the list of runs that the message names.',
  },
  'few-transactions': {
    meaning: 'Trials will have too few transactions for the deciding percentile.',
    remedy: 'Make the trials longer.',
  },
  limits: {
    meaning: 'The limits do not limit what they seem to, or there are none.',
    remedy: 'Set limits.hours and limits.dollars.',
  },
  'databases-used': {
    meaning: 'The databases were not loaded for this run.',
    remedy: 'Redeploy, or run load first.',
  },
  'unproved-parameter': {
    meaning: 'A parameter could not be confirmed on the server.',
    remedy: 'Ask the server for it.',
  },
  'stopped-early': {
    meaning: 'The run ended before its plan was complete.',
    remedy: 'Fix the cause, then rerun.',
  },
  'loaded-settings': {
    meaning: 'Settings were different while the data was loaded.',
    remedy: 'Load all variants with the same settings, if it matters.',
  },
  resumed: {
    meaning: 'The run was resumed after it had ended or was cut off.',
    remedy: 'Rerun without a break, if it matters.',
  },
  'block-missing': {
    meaning: 'A block is excluded, because one of its sides was not measured to the end.',
    remedy: 'Find out why its trials failed.',
  },
  'block-unknown': {
    meaning: 'Blocks were lost, and are taken as the worst case.',
    remedy: 'Find out why their trials were lost.',
  },
  'not-verified': {
    meaning: 'Files changed since the run.',
    remedy: `Restore them. See all: ${ownCommand} verify DIR.`,
  },
  'no-manifest': {
    meaning: 'The run has no SHA256SUMS; earlier versions wrote none.',
    remedy: 'Rerun, if you must show that nothing changed.',
  },
  'files-left-out': {
    meaning: 'Files of the run are damaged or ignored.',
    remedy: 'Restore them, if they matter.',
  },
  'sides-differ': {
    meaning: 'The sides of a comparison differ in more than the tested settings.',
    remedy: 'Measure both sides the same way.',
  },
  reset: {
    meaning: 'A step before the trial was not completed.',
    remedy: 'Correct what the message names, such as a right.',
  },
  'memory-dump': {
    meaning: 'A program crashed and left a core dump.',
    remedy: 'Look for the reason in the server’s log.',
  },
  measurement: {
    meaning: 'A collector did not finish, or shows that the load was not as intended.',
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
