import type { Metric } from '../contract/metric.ts';
import type { Trial } from '../contract/trial.ts';
import type { Design } from '../experiment/plan/design.ts';
import { isNumber } from '../metrics/value.ts';
import {
  crossoverPairs,
  isGeometric,
  knownOf,
  type MaybeKnown,
  meanIfKnown,
  type UnknownValue,
  type ValuePair,
} from './crossover.ts';
import type { CountedBlocks } from './pairs.ts';
import type { BlockPair } from './counted-trials.ts';

/** A pair of trials by one metric. */
export type ReadPair = MaybeKnown & { period: number };

/** What becomes one value of an estimate. */
export type PairCombination = Pick<Design, 'unit' | 'exchanges'>;

/** The pairs of an estimate, and those whose values are unknown. */
export interface CombinedPairs {
  pairs: ValuePair[];
  unknown: UnknownValue[];
}

/** The pairs of an estimate; if none counts, what was seen is only described. */
export interface AllPairs extends CombinedPairs {
  /** Pairs of all blocks with both sides; empty if any pair counts. They have no interval. */
  described: ValuePair[];
}

/** The pairs that an estimate uses, from the blocks in which both sides have a value, and from those that are unknown. */
export function readAllPairs(
  {
    counted,
    unknown,
    blocks = [],
  }: Pick<CountedBlocks, 'counted' | 'unknown'> & Partial<Pick<CountedBlocks, 'blocks'>>,
  valueOf: (trial: Trial) => number | null,
  { compared, ...uniting }: PairCombination & { compared: Metric['compared'] },
): AllPairs {
  const lost = unknown.map(({ block, replica, period }): ReadPair => ({
    trials: [{ block, attempt: 1, replica }],
    period,
    baseline: null,
    candidate: null,
  }));
  // A crossover pairs the blocks of its periods in the order of time.
  const read = [...readPairs(counted, valueOf), ...lost].sort(
    (one, other) => (blockOf(one) ?? 0) - (blockOf(other) ?? 0),
  );
  const united = combinePairs(read, compared, uniting);
  // Known and unknown pairs never share one list: a crossover would pair a block with itself.
  const described = united.pairs.length > 0 ? [] : combinePairs(readPairs(blocks, valueOf), compared, uniting).pairs;
  return { ...united, described };
}

/** The pairs in which both sides have a value. */
function readPairs(blocks: readonly BlockPair[], valueOf: (trial: Trial) => number | null): ReadPair[] {
  return blocks.flatMap(({ block, attempt, replica, period, ...sides }): ReadPair[] => {
    const [baseline, candidate] = [valueOf(sides.baseline), valueOf(sides.candidate)];
    const ids = { baseline: sides.baseline.id, candidate: sides.candidate.id };
    const trials = [{ block, attempt, replica, ids }];
    return isNumber(baseline) && isNumber(candidate) ? [{ trials, period, baseline, candidate }] : [];
  });
}

/**
 * Makes the pairs that an estimate uses from pairs of trials. Trials count as repeats only if chance drew their
 * conditions again for each: the trials of one pair of instances share their hosts, and those of one block share its
 * time.
 *
 * - block: one value for each block; with several pairs of instances, their mean, from blocks in which all of them
 *   count;
 * - pair of blocks: a crossover;
 * - pair of instances: one value for each, the mean of its blocks.
 *
 * A pair with an unknown block is unknown.
 */
export function combinePairs(
  read: readonly ReadPair[],
  compared: Metric['compared'],
  uniting: PairCombination,
): CombinedPairs {
  const united = combineBy(uniting, read, compared);
  return { pairs: knownOf(united), unknown: united.filter((pair): pair is UnknownValue => pair.baseline === null) };
}

function combineBy(
  { unit, exchanges }: PairCombination,
  read: readonly ReadPair[],
  compared: Metric['compared'],
): MaybeKnown[] {
  if (unit === 'block-pair') return crossoverPairs(read, compared, exchanges);
  const geometric = isGeometric(knownOf(read), compared);
  const replicas = new Set(read.map(replicaOf));
  if (unit === 'instance-pair') {
    return [...replicas].map((replica) =>
      meanIfKnown(
        read.filter((pair) => replicaOf(pair) === replica),
        geometric,
      ),
    );
  }
  if (replicas.size <= 1) return [...read];
  return [...new Set(read.map(blockOf))].flatMap((block) => {
    const own = read.filter((pair) => blockOf(pair) === block);
    return own.length === replicas.size ? [meanIfKnown(own, geometric)] : [];
  });
}

function replicaOf({ trials: [first] }: ReadPair): number | undefined {
  return first?.replica;
}

function blockOf({ trials: [first] }: ReadPair): number | undefined {
  return first?.block;
}
