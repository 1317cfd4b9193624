import { besideEarlier } from '../../runner/analysis/earlier-starts.ts';
import { compareTrials } from '../../runner/analysis/compare.ts';
import type { Comparison } from '../../runner/contract/comparison.ts';
import { normalVariate } from '../../runner/statistics/distributions.ts';
import { type Random, seededRandom } from './noise.ts';
import { type Count, countOutcomes, rate, type Table } from './table.ts';
import { decision, trialOf } from './tool.ts';

export interface StartsCase {
  starts: number;
  /** Standard deviation by which the change differs from start to start. */
  between: number;
}

const blocks = 6;
const trialSpread = 0.02;

export const startsCases: StartsCase[] = [0, 0.02, 0.05].flatMap((between) =>
  [3, 5, 10].map((starts) => ({ starts, between })),
);

export interface StartsCounts {
  /** Prediction intervals that hold the estimate of the next start. */
  predicted: Count;
  /** Intervals of the last start that hold it. */
  byOneStart: Count;
  /** How often starts are said to differ by more than their blocks. */
  saidToDiffer: Count;
}

/** Starts with different true changes, compared by the code that puts real starts side by side. */
export function countStarts({ starts, between }: StartsCase, experiments: number): StartsCounts {
  const random = seededRandom(starts);
  const count = countOutcomes(experiments, () => {
    const drawn = Array.from({ length: starts + 1 }, (_, index) => ({
      startedAt: `2026-11-${String(index + 1).padStart(2, '0')}T06:28:18.000Z`,
      comparisons: [startOf(Math.log(1.9) + between * normalVariate(random), random)],
    }));
    const [next, last] = [drawn.at(-1), drawn.at(-2)];
    const truth = next?.comparisons[0]?.change ?? NaN;
    const found = last && besideEarlier(last, drawn.slice(0, -2), decision.level)[0];
    return {
      predicted: holds(found?.next ?? null, truth),
      byOneStart: holds(last?.comparisons[0]?.interval ?? null, truth),
      saidToDiffer: (found?.chance ?? 1) < 0.05,
    };
  });
  return { predicted: count('predicted'), byOneStart: count('byOneStart'), saidToDiffer: count('saidToDiffer') };
}

export function startsTable(experiments: number): Table {
  return {
    title: `**Starts of ${blocks} blocks: how often an interval holds what the next start finds** (a trial varies by ${trialSpread * 100} %)`,
    head: [
      'starts differ by',
      'starts',
      'the prediction interval (stated: 95 %)',
      'the interval of one start',
      'starts are said to differ by more than their blocks',
    ],
    rows: startsCases.map((one) => {
      const { predicted, byOneStart, saidToDiffer } = countStarts(one, experiments);
      return [`${one.between * 100} %`, `${one.starts}`, rate(predicted), rate(byOneStart), rate(saidToDiffer)];
    }),
  };
}

function startOf(effect: number, random: Random): Comparison {
  const value = (log: number): number => 1000 * Math.exp(log + trialSpread * normalVariate(random));
  const trials = Array.from({ length: blocks }, (_, index) => [
    trialOf('baseline', index + 1, value(0)),
    trialOf('candidate', index + 1, value(effect)),
  ]).flat();
  const claims = {
    scope: 'this-machine' as const,
    unit: 'block' as const,
    replicas: 1,
    exchanges: 0,
    drawn: true,
    obstacles: [],
  };
  const { comparisons } = compareTrials({
    trials,
    contrasts: [{ baseline: 'baseline', candidate: 'candidate', level: {} }],
    controls: [],
    decision,
    limit: 'time',
    claims,
  });
  const found = comparisons.find(({ primary }) => primary);
  if (!found) throw new Error('nothing was compared');
  return found;
}

function holds(interval: { low: number; high: number } | null, truth: number): boolean {
  return interval !== null && interval.low <= truth && truth <= interval.high;
}
