import type { Decision, Protocol } from '../../runner/contract/experiment/schema.ts';
import { judgeFamily } from '../../runner/analysis/family.ts';
import { judge } from '../../runner/analysis/verdict.ts';
import { mean } from '../../runner/statistics/batches.ts';
import { median } from '../../runner/statistics/quantiles.ts';
import { decideToStop, planLooks } from '../../runner/statistics/sequential.ts';
import { signedRankInterval } from '../../runner/statistics/signed-rank.ts';
import { estimateBlocks, oldWayFindsDifference, simulateBlocks } from './experiments.ts';
import { type Noise, seededRandom } from './noise.ts';

/**
 * How many of the simulated experiments had some outcome. With both counts, the uncertainty of the rate can be given, too.
 */
export interface Count {
  hits: number;
  experiments: number;
}

/** The defaults of an experiment. */
const decision: Decision = { metric: 'tps', practicalThreshold: 0.05, level: 0.95 };

interface Setting {
  noise: Noise;
  blocks: number;
  /** True relative change: 0.05 is +5 %. */
  effect: number;
  experiments: number;
  order?: Protocol['order'];
}

/** Counts how often a verdict is given. */
export function countVerdicts(setting: Setting): (verdict: 'better' | 'worse' | 'equivalent') => Count {
  const { noise, blocks, effect, experiments, order } = setting;
  const random = seededRandom(blocks);
  const verdicts = Array.from({ length: experiments }, () => {
    const pairs = simulateBlocks({ noise, blocks, effect: Math.log1p(effect), random, order });
    const [judged] = judgeFamily([{ level: decision.level, estimateAt: (level) => estimateBlocks(pairs, level) }]);
    return judged ? judge(judged, pairs, 'higher', decision) : null;
  });
  return (wanted) => ({ hits: verdicts.filter((verdict) => verdict === wanted).length, experiments });
}

/** Counts verdicts of better or worse although nothing differs. */
export function countFalsePositives(setting: Omit<Setting, 'effect'>): Count {
  const count = countVerdicts({ ...setting, effect: 0 });
  return { hits: count('better').hits + count('worse').hits, experiments: setting.experiments };
}

export function countFalsePositivesOfOldWay(noise: Noise, experiments: number): Count {
  const random = seededRandom(3);
  let hits = 0;
  for (let experiment = 0; experiment < experiments; experiment++) if (oldWayFindsDifference(noise, random)) hits++;
  return { hits, experiments };
}

export interface Coverage extends Count {
  /** The exact confidence level that the method states. */
  level: number;
  /** Median width of the interval of the relative change: 0.01 is a percentage point. */
  width: number;
}

/** Counts how often the interval holds the true change. */
export function countCoverage({ noise, blocks, effect, experiments }: Setting): Coverage {
  const random = seededRandom(blocks);
  let hits = 0;
  let level = 0;
  const widths: number[] = [];
  for (let experiment = 0; experiment < experiments; experiment++) {
    const pairs = simulateBlocks({ noise, blocks, effect: Math.log1p(effect), random });
    const { interval } = estimateBlocks(pairs);
    if (!interval) throw new Error(`no interval from ${blocks} blocks`);
    if (interval.low <= effect && effect <= interval.high) hits++;
    level = interval.level;
    widths.push(interval.high - interval.low);
  }
  return { hits, experiments, level, width: median(widths) ?? NaN };
}

export interface Stopping {
  /** Intervals at the stop that exclude zero although nothing differs. Intervals miss any other true change as often. */
  falsePositives: Count;
  meanBlocks: number;
}

/**
 * Simulates `until precision`: looks are planned for at most `blocks` blocks, and it stops at an interval no wider than the
 * practical threshold.
 */
export function simulateStopping({ noise, blocks: cap, experiments }: Omit<Setting, 'effect'>): Stopping {
  const looks = planLooks(cap, decision.level);
  const widest = Math.log1p(decision.practicalThreshold);
  return simulateStops({ noise, cap, experiments }, (values) => decideToStop(values, looks, { widest }));
}

/**
 * Simulates what many people do: look at the 95 % interval after every block from the sixth, and stop when it excludes zero.
 */
export function simulatePeeking({ noise, blocks: cap, experiments }: Omit<Setting, 'effect'>): Stopping {
  return simulateStops({ noise, cap, experiments }, (values) => {
    const interval = signedRankInterval(values, decision.level);
    const excludes = interval !== null && (interval.low > 0 || interval.high < 0);
    return { stop: excludes || values.length === cap, interval };
  });
}

function simulateStops(
  { noise, cap, experiments }: { noise: Noise; cap: number; experiments: number },
  decide: (values: readonly number[]) => ReturnType<typeof decideToStop>,
): Stopping {
  const random = seededRandom(cap);
  let falsePositives = 0;
  const stoppedAt: number[] = [];
  for (let experiment = 0; experiment < experiments; experiment++) {
    const pairs = simulateBlocks({ noise, blocks: cap, effect: 0, random });
    const values: number[] = [];
    for (const { baseline, candidate } of pairs) {
      values.push(Math.log(candidate / baseline));
      const { stop, interval } = decide(values);
      if (!stop) continue;
      if (interval && (interval.low > 0 || interval.high < 0)) falsePositives++;
      break;
    }
    stoppedAt.push(values.length);
  }
  return {
    falsePositives: { hits: falsePositives, experiments },
    meanBlocks: mean(stoppedAt),
  };
}
