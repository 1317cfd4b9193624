import type { Protocol } from '../../runner/contract/experiment/schema.ts';
import { median } from '../../runner/statistics/summaries.ts';
import { simulateBlocks } from './experiments.ts';
import { type Noise, periodic, seededRandom } from './noise.ts';
import { type Count, countOutcomes } from './table.ts';
import { decideAlone, decision } from './tool.ts';

export interface Setting {
  noise: Noise;
  blocks: number;
  /** True relative change: 0.05 is +5%. */
  effect?: number;
  experiments: number;
  order?: Protocol['order'];
  practicalThreshold?: number;
  /** Seed of everything that is drawn; by default, each number of blocks and effect has its own. */
  randomSeed?: number;
}

export interface Outcomes {
  better: Count;
  worse: Count;
  equivalent: Count;
  inconclusive: Count;
  /** Better or worse: false if nothing differs. */
  differs: Count;
  excludesZero: Count;
  /** Intervals that hold the true change. */
  covers: Count;
  /** The exact level that the intervals state. */
  level: number;
  /** Median width of the interval of the relative change: 0.01 is a percentage point. */
  width: number;
}

/** Simulates experiments of two variants, and counts the intervals and verdicts of the tool. */
export function simulate(setting: Setting): Outcomes {
  const { noise, blocks, effect = 0, experiments, order, practicalThreshold } = setting;
  const random = seededRandom(setting.randomSeed ?? blocks + Math.round(1000 * effect));
  const by = { ...decision, ...(practicalThreshold === undefined ? {} : { practicalThreshold }) };
  const widths: number[] = [];
  let level = NaN;
  const count = countOutcomes(experiments, () => {
    const pairs = simulateBlocks({ noise, blocks, effect: Math.log1p(effect), random, order });
    const { verdict, interval } = decideAlone(pairs, by);
    if (interval) {
      level = interval.level;
      widths.push(interval.high - interval.low);
    }
    return {
      better: verdict === 'better',
      worse: verdict === 'worse',
      equivalent: verdict === 'equivalent',
      inconclusive: verdict === 'inconclusive',
      differs: verdict === 'better' || verdict === 'worse',
      excludesZero: interval !== null && (interval.low > 0 || interval.high < 0),
      covers: interval !== null && interval.low <= effect && effect <= interval.high,
    };
  });
  return {
    better: count('better'),
    worse: count('worse'),
    equivalent: count('equivalent'),
    inconclusive: count('inconclusive'),
    differs: count('differs'),
    excludesZero: count('excludesZero'),
    covers: count('covers'),
    level,
    width: median(widths) ?? NaN,
  };
}

/** Periods, in trials, that are searched for the worst one. */
export const periods = [
  2, 2.05, 2.2, 2.4, 2.5, 2.6, 2.75, 3, 3.2, 3.5, 4, 4.3, 5, 5.5, 6, 7, 8, 10, 12, 15, 20, 30, 40,
];

/** The period at which the most intervals exclude zero. The search uses other experiments than those that count. */
export function worstPeriod(blocks: number, experiments: number): Noise {
  const rates = periods.map((period, index) => {
    const noise = periodic(period);
    const randomSeed = 5000 + 100 * blocks + index;
    return { noise, hits: simulate({ noise, blocks, experiments, randomSeed }).excludesZero.hits };
  });
  const [worst] = rates.sort((one, other) => other.hits - one.hits);
  return worst?.noise ?? periodic(2.75);
}
