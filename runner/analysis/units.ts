import type { Unit } from '../contract/comparison.ts';
import type { Metric } from '../contract/metric.ts';
import { crossOver, isGeometric, meanPair, type ValuePair } from './cross-over.ts';

/** A pair of trials by one metric. */
export type ReadPair = ValuePair & { period: 1 | 2 };

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
