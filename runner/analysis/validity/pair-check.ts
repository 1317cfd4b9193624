import type { Check } from '../../contract/check.ts';
import type { Comparison } from '../../contract/comparison.ts';
import type { Result } from '../../contract/result.ts';
import type { BlockPair } from '../pairs.ts';
import type { Side } from '../undeclared-differences.ts';

/** The parts of a result that are known before anything is compared. */
export type ValidityFacts = Pick<Result, 'experiment' | 'place' | 'variants' | 'trials' | 'stoppedAfterBlock'>;

/** Two variants that are compared, at one level. */
export interface Pair {
  baseline: Side;
  candidate: Side;
  /** The comparison by the declared metric. */
  comparison: Comparison;
  /** The blocks that the comparison used. */
  blocks: readonly BlockPair[];
}

/**
 * One question about two variants. It gives several answers if it asks for several things, and none if it does not apply.
 */
export type PairCheck = (facts: ValidityFacts, pair: Pair) => Check[];
