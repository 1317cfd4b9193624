import type { Check } from '../../contract/check.ts';
import type { Comparison } from '../../contract/comparison.ts';
import type { Result } from '../../contract/result.ts';
import type { BlockPair } from '../pairs.ts';
import type { Side } from '../undeclared-differences.ts';

/** What a result tells, before anything in it is compared. */
export type ValidityFacts = Pick<Result, 'experiment' | 'place' | 'variants' | 'trials' | 'stoppedAfterBlock'>;

/** Two variants beside each other, at one level. */
export interface Pair {
  baseline: Side;
  candidate: Side;
  /** By the declared metric. */
  comparison: Comparison;
  /** Those that the comparison used. */
  blocks: readonly BlockPair[];
}

/** One question to two variants beside each other; several answers where it asks for several things, none where it does not arise. */
export type PairCheck = (facts: ValidityFacts, pair: Pair) => Check[];
