import { changedTogether } from '../../runner/analysis/changed-together.ts';
import type { Comparison } from '../../runner/contract/comparison.ts';
import { estimatePaired } from '../../runner/analysis/estimate.ts';
import { normalVariate } from '../../runner/statistics/distributions.ts';
import { excludesZero } from '../../runner/statistics/exact-interval.ts';
import { type Random, seededRandom } from './noise.ts';
import { type Count, countOutcomes, percent, rate, type Table } from './table.ts';

/** Latencies that users notice; whether they are different metrics does not matter here. */
const names = ['latency.average', 'latency.p50', 'latency.p95', 'latency.p99', 'latency.p999', 'tps.p10'];
const spread = 0.1;
const level = 0.95;
const worsening = 0.3;

export interface WorseCounts {
  before: Count;
  now: Count;
}

/** @param change of one of the metrics; how much noise the others share with it is given by `shared`, from 0 to 1 */
export function countWorse(
  { blocks, pairs, shared, change }: { blocks: number; pairs: number; shared: number; change: number },
  experiments: number,
): WorseCounts {
  const random = seededRandom(blocks + 100 * pairs + Math.round(1000 * shared));
  const chance = (1 - level) / pairs;
  const count = countOutcomes(experiments, () => {
    const found = Array.from({ length: pairs }, (_, pair) => {
      const own = comparisonsOf({ blocks, shared, change: pair === 0 ? change : 0, random });
      const before = own.filter(
        ({ interval, change: observed }) => interval && excludesZero(interval) && (observed ?? 0) > 0,
      );
      return { before: before.map(metricOf), now: changedTogether(own, { side: 'worse', chance }).map(metricOf) };
    });
    // Of a metric that got worse, whether it is named; otherwise whether anything is.
    const isNamed = (some: readonly string[]): boolean =>
      change === 0 ? some.length > 0 : some.includes(names[0] ?? '');
    return {
      before: (change === 0 ? found : found.slice(0, 1)).some(({ before }) => isNamed(before)),
      now: (change === 0 ? found : found.slice(0, 1)).some(({ now }) => isNamed(now)),
    };
  });
  return { before: count('before'), now: count('now') };
}

const metricOf = ({ metric }: Comparison): string => metric;

function comparisonsOf({
  blocks,
  shared,
  change,
  random,
}: {
  blocks: number;
  shared: number;
  change: number;
  random: Random;
}): Comparison[] {
  const common = Array.from({ length: blocks }, () => normalVariate(random));
  return names.map((metric, index) => {
    const pairs = common.map((noise, block) => {
      const own = Math.sqrt(shared) * noise + Math.sqrt(1 - shared) * normalVariate(random);
      const candidate = Math.exp(spread * own + (index === 0 ? Math.log1p(change) : 0));
      return { block: block + 1, attempt: 1, baseline: 1, candidate, change: candidate - 1 };
    });
    const { change: observed, interval } = estimatePaired(pairs, 'ratio', { level });
    return { metric, better: 'lower', change: observed, interval, pairs } as unknown as Comparison;
  });
}

/** How often the report names something that got worse. */
export function worseTable(experiments: number): Table {
  return {
    title: `**What got worse, of ${names.length} metrics besides the declared one: how often it is named** (a spread of ${percent(spread)} in each; before: each interval by itself)`,
    head: [
      'blocks',
      'pairs of variants',
      'noise that the metrics share',
      'anything, though nothing differs; before',
      'now',
      `a metric that is ${percent(worsening)} worse; before`,
      'now',
    ],
    rows: [6, 8, 12, 20].flatMap((blocks) =>
      [1, 3].flatMap((pairs) =>
        [0, 0.9].map((shared) => {
          const nothing = countWorse({ blocks, pairs, shared, change: 0 }, experiments);
          const one = countWorse({ blocks, pairs, shared, change: worsening }, experiments);
          const rates = [nothing.before, nothing.now, one.before, one.now].map(rate);
          return [String(blocks), String(pairs), percent(shared), ...rates];
        }),
      ),
    ),
  };
}
