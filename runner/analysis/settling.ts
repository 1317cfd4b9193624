import type { Comparison } from '../contract/comparison.ts';
import { crossoversOf } from '../contract/plan.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import type { Trial } from '../contract/trial.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import { chanceAbove, normalExceededBy } from '../statistics/distributions.ts';
import { median } from '../statistics/summaries.ts';
import { equivalenceShare } from './verdict.ts';

type Open = Pick<Comparison, 'blocksToSettle' | 'change' | 'interval' | 'metric' | 'unknownPairs'>;
type Planned = Pick<Experiment, 'decision' | 'protocol'>;
type Timed = Pick<Trial, 'block' | 'attempt' | 'startedAt' | 'endedAt'>;

/** What a new run would take to settle a comparison. */
export interface Settling {
  /** Of a verdict. */
  chance: number;
  blocks: number;
  /** Of its measured part; null if nothing was measured. */
  seconds: number | null;
}

/** From an even chance on. */
const chances = [1 / 2, 2 / 3, 5 / 6];

/** Empty unless it is known how many blocks settle it. */
export function settlingOf(open: Open, experiment: Planned, trials: readonly Timed[]): Settling[] {
  const each = secondsOfBlock(trials);
  return chances.flatMap((chance) => {
    const blocks = blocksAtChance(open, experiment, chance);
    return blocks === null ? [] : [{ chance, blocks, seconds: each === null ? null : blocks * each }];
  });
}

/** Steps by which numbers of blocks are tried, and how many times as many as for an even chance at most. */
const [step, maxFactor] = [1.01, 64];

/**
 * About how many blocks in all settle an inconclusive comparison with this chance, if its estimate is the true change. That
 * number is known for an even chance (`blocksToSettle`); it is scaled by how the chance of a normal estimate grows with blocks.
 *
 * @param chance 0.5 or more, below 1
 * @returns null if the number for an even chance is not known
 */
export function blocksAtChance(
  { blocksToSettle, change, interval, metric, unknownPairs = 0 }: Open,
  { decision, protocol }: Planned,
  chance: number,
): number | null {
  if (blocksToSettle === undefined || change === null || !interval) return null;
  const isDifference = metricNamed(metric)?.compared === 'difference';
  const scaled = (size: number): number => Math.abs(isDifference ? size : Math.log1p(size));
  const centre = scaled(change);
  // Beside unknown pairs, nothing is called equivalent.
  const threshold = unknownPairs > 0 ? 0 : scaled(decision.practicalThreshold);
  const quantile = normalExceededBy((1 - interval.level) / 2);
  const errorAtEven = Math.max(centre, equivalenceShare * threshold) / quantile;
  if (!(errorAtEven > 0)) return null;
  const factorFor = (wanted: number): number => {
    for (let factor = 1 / maxFactor; factor < maxFactor; factor *= step) {
      const error = errorAtEven / Math.sqrt(factor);
      if (chanceSettled({ centre, threshold, error, quantile }) >= wanted) return factor;
    }
    return maxFactor;
  };
  const needed = blocksToSettle * Math.max(1, factorFor(chance) / factorFor(0.5));
  // Every exchange of a crossover has equally many pairs of blocks.
  const unit = 2 * crossoversOf(protocol) || 1;
  return unit * Math.ceil(needed / unit - 1e-9);
}

/** Nothing is settled by an estimate whose interval includes zero and is not within the threshold. */
function chanceSettled({
  centre,
  threshold,
  error,
  quantile,
}: Record<'centre' | 'threshold' | 'error' | 'quantile', number>): number {
  const high = quantile * error;
  const low = Math.max(0, threshold - high);
  if (low >= high) return 1;
  const between = (from: number, to: number): number =>
    chanceAbove((from - centre) / error) - chanceAbove((to - centre) / error);
  return 1 - between(low, high) - between(-high, -low);
}

/** How long a block of a run takes with all that comes between its trials, in seconds; null if nothing was measured. */
export function secondsOfBlock(trials: readonly Timed[]): number | null {
  const spans = new Map<string, { from: number; to: number }>();
  for (const { block, attempt, startedAt, endedAt } of trials) {
    const key = `${block} ${attempt}`;
    const [from, to] = [Date.parse(startedAt), Date.parse(endedAt)];
    const known = spans.get(key) ?? { from, to };
    spans.set(key, { from: Math.min(known.from, from), to: Math.max(known.to, to) });
  }
  const sorted = [...spans.values()].toSorted((one, other) => one.from - other.from);
  return median(sorted.map(({ from, to }, index) => ((sorted[index + 1]?.from ?? to) - from) / 1000));
}
