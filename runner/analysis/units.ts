import type { Unit } from '../contract/comparison.ts';
import type { Metric } from '../contract/metric.ts';
import type { Trial } from '../contract/trial.ts';
import { isNumber } from './comparison-of-metrics.ts';
import { crossOver, isGeometric, meanPair, type ValuePair } from './cross-over.ts';
import type { BlockPair } from './pairs.ts';

/** A pair of trials by one metric. */
export type ReadPair = ValuePair & { period: 1 | 2 };

/** The pairs that an estimate uses, from the blocks in which both sides have a value. */
export function readPairs(
  blocks: readonly BlockPair[],
  valueOf: (trial: Trial) => number | null,
  { compared, unit }: { compared: Metric['compared']; unit: Unit },
): ValuePair[] {
  const read = blocks.flatMap(({ block, attempt, replica, period, ...sides }) => {
    const [baseline, candidate] = [valueOf(sides.baseline), valueOf(sides.candidate)];
    const trials = [{ block, attempt, replica }];
    return isNumber(baseline) && isNumber(candidate) ? [{ trials, period, baseline, candidate }] : [];
  });
  return unite(read, compared, unit);
}

/**
 * Makes the pairs that an estimate uses from pairs of trials. What was not drawn by chance again for each trial must not count
 * as a repeat: the trials of one pair of instances share their hosts, those of one block share its time.
 *
 * - block: one value a block; with several pairs of instances their mean, from the blocks in which all of them count;
 * - pair of blocks: a crossover;
 * - pair of instances: one value for each, the mean of its blocks.
 */
export function unite(read: readonly ReadPair[], compared: Metric['compared'], unit: Unit): ValuePair[] {
  if (unit === 'pair of blocks') return crossOver(read, compared);
  const geometric = isGeometric(read, compared);
  const replicas = new Set(read.map(replicaOf));
  if (unit === 'pair of instances') {
    return [...replicas].map((replica) =>
      meanPair(
        read.filter((pair) => replicaOf(pair) === replica),
        geometric,
      ),
    );
  }
  if (replicas.size <= 1) return [...read];
  return [...new Set(read.map(blockOf))].flatMap((block) => {
    const own = read.filter((pair) => blockOf(pair) === block);
    return own.length === replicas.size ? [meanPair(own, geometric)] : [];
  });
}

function replicaOf({ trials: [first] }: ReadPair): number | undefined {
  return first?.replica;
}

function blockOf({ trials: [first] }: ReadPair): number | undefined {
  return first?.block;
}
