import { isDeepStrictEqual } from 'node:util';
import type { MeasureStep } from '../contract/plan.ts';
import { isLost, isRepeatable, isSound } from '../analysis/losses.ts';
import type { Trial } from '../contract/trial.ts';

/** A block of the plan: its positions, in order. */
export type Block = readonly MeasureStep[];

/**
 * The attempt at a block that is to be carried out, or has been the last one.
 *
 * An attempt that was cut off is gone on with only on the same servers: the trials of an attempt are compared with each
 * other, and other servers give other figures. Trials that are measured at the same time cannot be gone on with one by one.
 *
 * @param goOn whether the servers are those of the earlier start
 * @returns a number from 1, and whether nothing of it is left to measure
 */
export function attemptAt(
  block: Block,
  trials: readonly Trial[],
  { goOn }: { goOn: boolean },
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
  return { attempt: goOn && one ? last : last + 1, ended: false };
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
  const { attempt, ended } = attemptAt(block, trials, { goOn: false });
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
