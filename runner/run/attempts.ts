import { isDeepStrictEqual } from 'node:util';
import type { MeasureStep } from '../contract/plan.ts';
import { isLost, isRepeatable, isSound } from '../analysis/counted-trials.ts';
import { type Trial, troubleOf } from '../contract/trial.ts';
import { failures } from '../contract/check.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import type { OutsideReason } from '../contract/errors.ts';

/** A block of the plan: its positions, in order. */
export type Block = readonly MeasureStep[];

/**
 * The attempt at a block that is to be carried out, or has been the last one.
 *
 * An attempt that was cut off is gone on with only on the same servers: the trials of an attempt are compared with each
 * other, and other servers give other figures. Trials that are measured at the same time cannot be gone on with one by one.
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
  // It failed by itself. An earlier attempt counts, or a server lost it: a loss is never measured again.
  const isOver = isMeasured(block, trials) || trialsOf(block, trials, last).some(isLost);
  if (isOver && hasEnded(block, trials, last)) return { attempt: last, ended: true };
  const one = block.every(
    (step) =>
      step.trials.length === 1 || finishedIn(step, trials, last) !== null || ofStep(step, trials, last).length === 0,
  );
  return { attempt: isResumed && one ? last : last + 1, ended: false };
}

/** The highest number of an attempt at the block that has begun; 0 if none has. */
export function lastAttempt(block: Block, trials: readonly Trial[]): number {
  return Math.max(0, ...trials.filter((trial) => trial.block === block[0]?.block).map(({ attempt }) => attempt));
}

/** The trials of an attempt at the block, in the order in which they ended. */
export function trialsOf(block: Block, trials: readonly Trial[], attempt: number): Trial[] {
  return block.flatMap((step) => ofStep(step, trials, attempt));
}

/** Whether some attempt at the block has finished every trial. */
function isMeasured(block: Block, trials: readonly Trial[]): boolean {
  const last = lastAttempt(block, trials);
  return Array.from({ length: last }, (_, index) => index + 1).some((attempt) => isWhole(block, trials, attempt));
}

/** How many attempts were made because the one before, which came to its end, was not good enough. */
export function repeatsMade(blocks: readonly Block[], trials: readonly Trial[]): number {
  return blocks.reduce((made, block) => {
    const before = Math.max(0, lastAttempt(block, trials) - 1);
    const ended = Array.from({ length: before }, (_, index) => index + 1);
    return made + ended.filter((attempt) => hasEnded(block, trials, attempt)).length;
  }, 0);
}

/** The trials of an attempt at the block that do not count. A position that was gone on with has one that does. */
export function unsoundIn(block: Block, trials: readonly Trial[], attempt: number): Trial[] {
  return block
    .filter((step) => !finishedIn(step, trials, attempt)?.every(isSound))
    .flatMap((step) => ofStep(step, trials, attempt).filter((trial) => !isSound(trial)));
}

/** Whether a run that is gone on with measures something of the block: it has not ended, or is to be repeated. */
export function isLeft(block: Block, trials: readonly Trial[], repeatsLeft: number): boolean {
  const { attempt, ended } = attemptAt(block, trials, { isResumed: false });
  return !ended || (repeatsLeft > 0 && unsoundIn(block, trials, attempt).some(isRepeatable));
}

/** Whether no trial of the last attempt at the block counts. */
export function isInVain(block: Block, trials: readonly Trial[]): boolean {
  const last = lastAttempt(block, trials);
  const unsound = unsoundIn(block, trials, last);
  return unsound.length > 0 && unsound.length === trialsOf(block, trials, last).length;
}

/** The finished trials of a position in an attempt; null if one of them is missing. */
export function finishedIn(step: MeasureStep, trials: readonly Trial[], attempt: number): Trial[] | null {
  const own = ofStep(step, trials, attempt).filter(({ state }) => state === 'finished');
  return step.trials.every(({ conditions }) => own.some((trial) => isDeepStrictEqual(trial.conditions, conditions)))
    ? own
    : null;
}

function isWhole(block: Block, trials: readonly Trial[], attempt: number): boolean {
  return block.every((step) => finishedIn(step, trials, attempt) !== null);
}

/** Whether every trial of the attempt came to an end of its own: it finished or failed. */
function hasEnded(block: Block, trials: readonly Trial[], attempt: number): boolean {
  return block.every((step) =>
    step.trials.every(({ conditions }) =>
      ofStep(step, trials, attempt).some(
        (trial) => trial.state !== 'interrupted' && isDeepStrictEqual(trial.conditions, conditions),
      ),
    ),
  );
}

function ofStep({ block, position }: MeasureStep, trials: readonly Trial[], attempt: number): Trial[] {
  return trials.filter((trial) => trial.block === block && trial.position === position && trial.attempt === attempt);
}

/** Where a run ends by itself because it measures in vain. */
export interface VainEnd {
  block: number;
  /** Why, and what to do: what stands in the result. */
  text: string;
}

/**
 * The block after which a run ends, since nothing of it counts and nothing of the later ones will; null where none is. What went
 * wrong every time is not chance: better to keep the time and money of the blocks to come. That is so after a first block that was
 * repeated in vain, and after two blocks one after another that something outside the servers spoilt in every trial.
 *
 * @param blocks all that are planned
 */
export function vainEndOf(
  { protocol }: Experiment,
  blocks: readonly Block[],
  trials: readonly Trial[],
): VainEnd | null {
  for (const [index, block] of blocks.entries()) {
    const isLast = index === blocks.length - 1;
    if (isLast || !isInVain(block, trials)) continue;
    if (index === 0 && protocol.repeats > 0) return { block: numberOf(block), text: firstInVain(block, trials) };
    const before = blocks[index - 1];
    const reason = before && isInVain(before, trials) ? reasonOf([before, block], trials) : undefined;
    if (reason !== undefined) return { block: numberOf(block), text: twiceInVain(block, trials, reason) };
  }
  return null;
}

const numberOf = ([step]: Block): number => step?.block ?? 0;

/** The reason outside the servers that spoilt the last attempt at every trial of the blocks; undefined if there is no one. */
function reasonOf(blocks: readonly Block[], trials: readonly Trial[]): OutsideReason | undefined {
  const spoilt = blocks.flatMap((block) => unsoundIn(block, trials, lastAttempt(block, trials)));
  const [first = [], ...others] = spoilt.map(({ failure, checks }) => [
    failure?.outside,
    ...failures(checks).map(({ outside }) => outside),
  ]);
  return first.find((reason) => reason !== undefined && others.every((reasons) => reasons.includes(reason)));
}

function firstInVain(block: Block, trials: readonly Trial[]): string {
  const attempts = lastAttempt(block, trials);
  const measured =
    attempts > 1 ? `it was measured ${attempts} times, and none of its last trials` : 'none of its trials';
  return `Stopped after block 1: ${measured} counts (${troubles(block, trials)}). So no verdict can come of this run. Mend that, and start again; with protocol.repeats: 0, a run goes on all the same.`;
}

function twiceInVain(block: Block, trials: readonly Trial[], reason: OutsideReason): string {
  return `Stopped after block ${numberOf(block)}: in two blocks, one after the other, every trial was spoilt for the same reason, ${reason} (${troubles(block, trials)}). The later blocks would be, too, and no verdict could come of this run. Mend that, and start again.`;
}

function troubles(block: Block, trials: readonly Trial[]): string {
  return unsoundIn(block, trials, lastAttempt(block, trials)).map(troubleOf).join('; ');
}
