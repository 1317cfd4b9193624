import { besideEarlier } from '../../runner/analysis/earlier-starts.ts';
import { compareTrials } from '../../runner/analysis/compare.ts';
import type { Comparison } from '../../runner/contract/comparison.ts';
import { predictionInterval } from '../../runner/statistics/groups.ts';
import { normalVariate } from '../../runner/statistics/distributions.ts';
import { type Random, seededRandom } from './noise.ts';
import { type Count, countOutcomes, percent, rate, type Table } from './table.ts';
import { decision, trialOf } from './tool.ts';

export interface StartsCase {
  starts: number;
  /** Standard deviation by which the change differs from start to start. */
  between: number;
  /** Share of the starts whose change is 30% higher, as if they had another place on the disk. @default 0 */
  second?: number;
}

const blocks = 6;
const trialSpread = 0.02;

export const startsCases: StartsCase[] = [
  ...[0, 0.02, 0.05].flatMap((between) => [3, 10].map((starts) => ({ starts, between }))),
  ...[0.5, 0.1].flatMap((second) => [3, 8].map((starts) => ({ starts, between: 0, second }))),
];

export interface StartsCounts {
  /** Prediction intervals that hold the estimate of the next start. */
  predicted: Count;
  /** Intervals of the last start that hold it. */
  byOneStart: Count;
  /** How often starts are said to differ by more than their blocks. */
  reportedToDiffer: Count;
}

/** Starts with different true changes, compared by the code that puts real starts side by side. */
export function countStarts({ starts, between, second = 0 }: StartsCase, experiments: number): StartsCounts {
  const random = seededRandom(starts);
  const count = countOutcomes(experiments, () => {
    const drawn = Array.from({ length: starts + 1 }, (_, index) => ({
      startedAt: `2026-11-${String(index + 1).padStart(2, '0')}T06:28:18.000Z`,
      comparisons: [startOf(Math.log(1.9) + between * normalVariate(random) + modeOf(second, random), random)],
    }));
    const [next, last] = [drawn.at(-1), drawn.at(-2)];
    const truth = next?.comparisons[0]?.change ?? NaN;
    const found = last && besideEarlier(last, drawn.slice(0, -2), decision.level)[0];
    return {
      predicted: holds(found?.next ?? null, truth),
      byOneStart: holds(last?.comparisons[0]?.interval ?? null, truth),
      reportedToDiffer: (found?.chance ?? 1) < 0.05,
    };
  });
  return {
    predicted: count('predicted'),
    byOneStart: count('byOneStart'),
    reportedToDiffer: count('reportedToDiffer'),
  };
}

/** The chance with which the next start is expected, from so many starts. */
export function statedOf(starts: number): number {
  const values = Array.from({ length: starts }, (_, index) => index);
  return predictionInterval(values, decision.level)?.level ?? NaN;
}

export function startsTable(experiments: number): Table {
  return {
    title: `**Starts of ${blocks} blocks: how often an interval holds what the next start finds** (a trial varies by ${trialSpread * 100}%)`,
    head: [
      'starts differ by',
      'starts',
      'stated of the next start',
      'held',
      'the interval of one start',
      'starts are said to differ by more than their blocks',
    ],
    rows: startsCases.map((one) => {
      const { predicted, byOneStart, reportedToDiffer } = countStarts(one, experiments);
      const differ = one.second === undefined ? `${one.between * 100}%` : `30% in ${percent(one.second)} of them`;
      return [
        differ,
        `${one.starts}`,
        percent(statedOf(one.starts)),
        rate(predicted),
        rate(byOneStart),
        rate(reportedToDiffer),
      ];
    }),
  };
}

function modeOf(second: number, random: Random): number {
  return random() < second ? Math.log(1.3) : 0;
}

function startOf(effect: number, random: Random): Comparison {
  const value = (log: number): number => 1000 * Math.exp(log + trialSpread * normalVariate(random));
  const trials = Array.from({ length: blocks }, (_, index) => [
    trialOf('baseline', index + 1, value(0)),
    trialOf('candidate', index + 1, value(effect)),
  ]).flat();
  const claims = {
    scope: 'this-machine' as const,
    sharesMachine: true,
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
