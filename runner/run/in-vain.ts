import { failures } from '../contract/check.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import type { OutsideReason } from '../contract/outside-reason.ts';
import { type Trial, troubleOf } from '../contract/trial.ts';
import { type Block, isInVain, lastAttempt, unsoundIn } from './attempts.ts';

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
