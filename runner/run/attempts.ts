import { isDeepStrictEqual } from 'node:util';
import type { MeasureStep } from '../contract/plan.ts';
import { isLost, isRepeatable, isValidTrial, externalReasonsOf } from '../analysis/counted-trials.ts';
import { type Trial, troubleOf } from '../contract/trial.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import { type ExternalReason, externalReasonWords } from '../contract/external-reasons.ts';

/** A block of the plan: its positions, in order. */
export type Block = readonly MeasureStep[];

/**
 * The attempt at a block that is due, or that was the last one.
 *
 * An attempt that was cut off is resumed only on the same servers. The trials of an attempt are compared with each
 * other, and other servers have other figures. Trials that are measured at the same time cannot be resumed one by one.
 *
 * @param isResumed whether the servers are those of the earlier start
 * @returns a number from 1, and whether nothing of it is left to measure
 */
export function attemptAt(
  block: Block,
  trials: readonly Trial[],
  { isResumed }: { isResumed: boolean },
): { attempt: number; ended: boolean } {
  const last = lastAttempt(block, trials);
  if (last === 0) return { attempt: 1, ended: false };
  if (isWhole(block, trials, last)) return { attempt: last, ended: true };
  // The last attempt failed by itself. It is over if an earlier attempt counts, or if a server lost a trial: a loss is
  // never measured again.
  const isOver = isMeasured(block, trials) || trialsOf(block, trials, last).some(isLost);
  if (isOver && hasEnded(block, trials, last)) return { attempt: last, ended: true };
  const one = block.every(
    (step) =>
      step.trials.length === 1 ||
      finishedIn(step, trials, last) !== null ||
      trialsOfStep(step, trials, last).length === 0,
  );
  return { attempt: isResumed && one ? last : last + 1, ended: false };
}

/** The number of the latest attempt at the block that has begun; 0 if none has. */
export function lastAttempt(block: Block, trials: readonly Trial[]): number {
  return Math.max(0, ...trials.filter((trial) => trial.block === block[0]?.block).map(({ attempt }) => attempt));
}

/** The trials of an attempt at the block, in the order in which they ended. */
export function trialsOf(block: Block, trials: readonly Trial[], attempt: number): Trial[] {
  return block.flatMap((step) => trialsOfStep(step, trials, attempt));
}

/** Whether some attempt at the block has finished every trial. */
function isMeasured(block: Block, trials: readonly Trial[]): boolean {
  const last = lastAttempt(block, trials);
  return Array.from({ length: last }, (_, index) => index + 1).some((attempt) => isWhole(block, trials, attempt));
}

/** How many attempts were made because the previous one had ended but was not good enough. */
export function repeatsMade(blocks: readonly Block[], trials: readonly Trial[]): number {
  return blocks.reduce((made, block) => {
    const before = Math.max(0, lastAttempt(block, trials) - 1);
    const ended = Array.from({ length: before }, (_, index) => index + 1);
    return made + ended.filter((attempt) => hasEnded(block, trials, attempt)).length;
  }, 0);
}

/** The trials of an attempt at the block that do not count. A position that was resumed has one that does. */
export function invalidTrials(block: Block, trials: readonly Trial[], attempt: number): Trial[] {
  return block
    .filter((step) => !finishedIn(step, trials, attempt)?.every(isValidTrial))
    .flatMap((step) => trialsOfStep(step, trials, attempt).filter((trial) => !isValidTrial(trial)));
}

/** Whether a resumed run would still measure something of the block: it has not ended, or must be repeated. */
export function isLeft(block: Block, trials: readonly Trial[], repeatsLeft: number): boolean {
  const { attempt, ended } = attemptAt(block, trials, { isResumed: false });
  return !ended || (repeatsLeft > 0 && invalidTrials(block, trials, attempt).some(isRepeatable));
}

/** Whether no trial of the last attempt at the block counts. */
function allTrialsInvalid(block: Block, trials: readonly Trial[]): boolean {
  const last = lastAttempt(block, trials);
  const invalid = invalidTrials(block, trials, last);
  return invalid.length > 0 && invalid.length === trialsOf(block, trials, last).length;
}

/** The finished trials of a position in an attempt; null if one of them is missing. */
export function finishedIn(step: MeasureStep, trials: readonly Trial[], attempt: number): Trial[] | null {
  const own = trialsOfStep(step, trials, attempt).filter(({ state }) => state === 'finished');
  return step.trials.every(({ conditions }) => own.some((trial) => isDeepStrictEqual(trial.conditions, conditions)))
    ? own
    : null;
}

function isWhole(block: Block, trials: readonly Trial[], attempt: number): boolean {
  return block.every((step) => finishedIn(step, trials, attempt) !== null);
}

/** Whether every trial of the attempt ended by itself: it finished or failed. */
function hasEnded(block: Block, trials: readonly Trial[], attempt: number): boolean {
  return block.every((step) =>
    step.trials.every(({ conditions }) =>
      trialsOfStep(step, trials, attempt).some(
        (trial) => trial.state !== 'interrupted' && isDeepStrictEqual(trial.conditions, conditions),
      ),
    ),
  );
}

function trialsOfStep({ block, position }: MeasureStep, trials: readonly Trial[], attempt: number): Trial[] {
  return trials.filter((trial) => trial.block === block && trial.position === position && trial.attempt === attempt);
}

/** The end of a run that ends by itself because it measures in vain. */
export interface EarlyStop {
  block: number;
  /** Why, and what to do. The result contains this text. */
  text: string;
}

/**
 * The block after which a run ends because none of its trials counts and none of the later ones would; null if there is
 * no such block. What went wrong every time is not chance, so ending saves the time and money of the remaining blocks.
 * A run ends after a first block that was repeated in vain. It also ends after two consecutive blocks in which
 * something outside the servers spoilt every trial.
 *
 * @param blocks all planned blocks
 */
export function earlyStopOf(
  { protocol }: Experiment,
  blocks: readonly Block[],
  trials: readonly Trial[],
): EarlyStop | null {
  for (const [index, block] of blocks.entries()) {
    const isLast = index === blocks.length - 1;
    if (isLast || !allTrialsInvalid(block, trials)) continue;
    if (index === 0 && protocol.repeats > 0)
      return { block: numberOf(block), text: stopAfterFirstBlock(block, trials) };
    const before = blocks[index - 1];
    const reason = before && allTrialsInvalid(before, trials) ? reasonOf([before, block], trials) : undefined;
    if (reason !== undefined) return { block: numberOf(block), text: stopAfterSameCause(block, trials, reason) };
  }
  return null;
}

const numberOf = ([step]: Block): number => step?.block ?? 0;

/**
 * The single reason outside the servers that spoilt every trial in the last attempts at the blocks; undefined if there
 * is none.
 */
function reasonOf(blocks: readonly Block[], trials: readonly Trial[]): ExternalReason | undefined {
  const disturbed = blocks.flatMap((block) => invalidTrials(block, trials, lastAttempt(block, trials)));
  const [first = [], ...others] = disturbed.map(externalReasonsOf);
  return first.find((reason) => others.every((reasons) => reasons.includes(reason)));
}

function stopAfterFirstBlock(block: Block, trials: readonly Trial[]): string {
  const attempts = lastAttempt(block, trials);
  const measured =
    attempts > 1 ? `it was measured ${attempts} times, and none of the last trials` : 'none of its trials';
  return `Stopped after block 1: ${measured} is valid (${troubles(block, trials)}), so no verdict is possible. Fix the cause, then rerun.`;
}

function stopAfterSameCause(block: Block, trials: readonly Trial[], reason: ExternalReason): string {
  return `Stopped after block ${numberOf(block)}: ${externalReasonWords(reason)} invalidated every trial of two consecutive blocks (${troubles(block, trials)}). Later blocks would fail the same way, so no verdict is possible. Fix the cause and rerun.`;
}

function troubles(block: Block, trials: readonly Trial[]): string {
  return invalidTrials(block, trials, lastAttempt(block, trials)).map(troubleOf).join('; ');
}
