import { centresOf } from '../../runner/analysis/side-values.ts';
import { estimatePaired } from '../../runner/analysis/estimate.ts';
import { normalVariate } from '../../runner/statistics/distributions.ts';
import { intervalOfSamples, type AtCrossover, samplesOf } from '../../runner/analysis/crossover.ts';
import { hodgesLehmann } from '../../runner/statistics/signed-rank.ts';
import { median } from '../../runner/statistics/summaries.ts';
import { seededRandom } from './noise.ts';
import { type Count, countOutcomes, percent, rate, type Table } from './table.ts';

const spread = 0.3;
const level = 0.95;
interface Pair extends AtCrossover {
  baseline: number;
  candidate: number;
}

/** Shares of experiments with a number that cannot be, by differences relative to the baseline's median, and by the rule. */
export function countImpossible(
  { blocks, zeros }: { blocks: number; zeros: number },
  experiments: number,
): { before: Count; beforeMirrored: Count; now: Count; nowMirrored: Count; hasChange: Count; hasInterval: Count } {
  const random = seededRandom(blocks + Math.round(1000 * zeros));
  const value = (): number => (random() < zeros ? 0 : Math.exp(spread * normalVariate(random)));
  const count = countOutcomes(experiments, () => {
    const pairs = Array.from({ length: blocks }, () => ({ baseline: value(), candidate: value() }));
    const swapped = pairs.map(({ baseline, candidate }) => ({ baseline: candidate, candidate: baseline }));
    const [before, other] = [byDifferences(pairs), byDifferences(swapped)];
    const [now, mirror] = [byRule(pairs), byRule(swapped)];
    return {
      before: before.some((one) => one < -1),
      beforeMirrored: !areMirrored(before[0], other[0]),
      now: [...now.ends, now.change ?? 0].some((one) => one < -1) || now.values.some((one) => one !== null && one < 0),
      nowMirrored: !areMirrored(now.change ?? undefined, mirror.change ?? undefined),
      hasChange: now.change !== null,
      hasInterval: now.ends.length > 0,
    };
  });
  const names = ['before', 'beforeMirrored', 'now', 'nowMirrored', 'hasChange', 'hasInterval'] as const;
  return Object.fromEntries(names.map((name) => [name, count(name)])) as ReturnType<typeof countImpossible>;
}

function byRule(pairs: readonly Pair[]) {
  const { change, interval } = estimatePaired(pairs, 'ratio', { level });
  const { baseline, candidate } = centresOf(pairs, change, 'ratio');
  return { change, ends: interval ? [interval.low, interval.high] : [], values: [baseline, candidate] };
}

/** The change and the ends of its interval, as they were before; none if no value is zero, for then it was by ratios. */
function byDifferences(pairs: readonly Pair[]): number[] {
  if (pairs.every(({ baseline, candidate }) => baseline > 0 && candidate > 0)) return [];
  const base = median(pairs.map(({ baseline }) => baseline)) ?? 0;
  const differenceIn = ({ baseline, candidate }: Pair): number => candidate - baseline;
  const found = intervalOfSamples(samplesOf(pairs, []), differenceIn, level);
  if (base <= 0) return [];
  return [hodgesLehmann(pairs.map(differenceIn)) ?? 0, found?.low ?? 0, found?.high ?? 0].map((one) => one / base);
}

function areMirrored(change: number | undefined, other: number | undefined): boolean {
  if (change === undefined || other === undefined) return change === other;
  return Math.abs((1 + change) * (1 + other) - 1) < 1e-6;
}

/** What a comparison by ratios makes of values of zero. */
export function zerosTable(experiments: number): Table {
  return {
    title: `**Zeros among values that are compared by ratios, nothing differs** (a spread of ${percent(spread)}; before: differences relative to the baseline’s median)`,
    head: [
      'blocks',
      'values that are zero',
      'below -100%; before',
      'now',
      'no mirror image; before',
      'now',
      'has a change now',
      'has an interval now',
    ],
    rows: [6, 12].flatMap((blocks) =>
      [0.02, 0.1, 0.3].map((zeros) => {
        const { before, beforeMirrored, now, nowMirrored, hasChange, hasInterval } = countImpossible(
          { blocks, zeros },
          experiments,
        );
        const rates = [before, now, beforeMirrored, nowMirrored, hasChange, hasInterval].map(rate);
        return [String(blocks), percent(zeros), ...rates];
      }),
    ),
  };
}
