import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { Verdict } from '../contract/comparison.ts';
import { periodsOf } from '../contract/plan.ts';
import { excludesZero, fewestPairs, type Interval, simultaneousLevel } from '../statistics/exact-interval.ts';
import { normalVariate } from '../statistics/distributions.ts';
import { decideToStop, firstLookBlocks, planLooks } from '../statistics/sequential.ts';
import type { Decision } from '../contract/experiment/schema.ts';
import { intervalOfSamples, samplesOf } from './exchanges-left-out.ts';
import { judge, withinThreshold } from './verdict.ts';

/** If more blocks were needed, longer trials or a larger effect would be better. */
export const mostBlocks = 200;

/** What a planned experiment is to find. */
export interface Goal {
  /** True log-ratio of candidate to baseline, of a metric of which more is better. */
  effect: number;
  verdict: Verdict;
  /** Chance of the verdict, such as 0.8. */
  power: number;
}

/**
 * The fewest blocks that give the verdict with the power; in a crossover as many for each of its periods. Experiments are simulated by the
 * rule that decides real ones, with independent normal log-ratios of blocks. The power has to be reached by a standard error
 * of the simulation more. From 64 pairs on, they are the fewest to within one in 64.
 *
 * The effect of a goal `better` or `worse` should be the practical threshold at least. A smaller one has most power at some
 * number of blocks, from which on it is called equivalent more and more often.
 *
 * @param spread standard deviation of the log-ratio of a block
 * @returns null if `mostBlocks` are not enough
 */
export function blocksNeeded(spread: number, goal: Goal, design: ComparisonDesign): number | null {
  const step = Math.max(1, periodsOf(design.exchanges).length);
  const suffices = (steps: number): boolean => reaches(goal, steps * step, spread, design);
  const most = Math.floor(mostBlocks / step);
  const fewest = design.widest === null ? Math.ceil(fewestPairs / pairsIn(step, design.exchanges)) : firstLookBlocks;
  let low = fewest - 1;
  let high = fewest;
  while (!suffices(high)) {
    if (high >= most) return null;
    [low, high] = [high, Math.min(most, high * 2)];
  }
  // Exact levels are discrete and looks are few, so that power goes up and down as long as there are few pairs.
  if (high <= 32) {
    high = fewest;
    while (!suffices(high)) high++;
    return high * step;
  }
  // Nobody plans to the block here, and every step takes its time.
  while (high - low > Math.max(1, high / 64)) {
    const middle = (low + high) >> 1;
    if (suffices(middle)) high = middle;
    else low = middle;
  }
  return high * step;
}

/** The chance of a verdict, with a standard error of a percentage point or less. See `blocksNeeded`. */
export function powerOf(
  { effect, verdict }: Omit<Goal, 'power'>,
  blocks: number,
  spread: number,
  design: ComparisonDesign,
): number {
  let hits = 0;
  for (const given of simulateVerdicts(effect, blocks, spread, design)) if (given === verdict) hits++;
  return hits / experiments;
}

/** Simulates only as many experiments as it takes to know. */
function reaches({ effect, verdict, power }: Goal, blocks: number, spread: number, design: ComparisonDesign): boolean {
  const needed = experiments * power + Math.sqrt(experiments * power * (1 - power));
  let hits = 0;
  let done = 0;
  for (const given of simulateVerdicts(effect, blocks, spread, design)) {
    done++;
    if (given === verdict) hits++;
    if (hits >= needed || hits + experiments - done < needed) break;
    // Four standard errors from what is asked for, the rest will not change it.
    const distance = hits - done * power;
    if (done % 100 === 0 && Math.abs(distance) > 4 * Math.sqrt(done * power * (1 - power)) + 1) return distance > 0;
  }
  return hits >= needed;
}

function* simulateVerdicts(
  effect: number,
  blocks: number,
  spread: number,
  design: ComparisonDesign,
): Generator<Verdict> {
  const verdictOn = plannedJudge(blocks, design);
  const pairs = pairsIn(blocks, design.exchanges);
  // The pair of a crossover is the mean of two blocks.
  const scale = design.exchanges > 0 ? spread / Math.SQRT2 : spread;
  for (const normal of normalDraws()) {
    yield verdictOn(Array.from({ length: pairs }, (_, pair) => effect + scale * (normal[pair] ?? 0)));
  }
}

const experiments = 2000;
/** Not that of the experiment: a pilot gives the same answer whatever order is drawn. */
const seed = 11;
let drawn: Float64Array[] | undefined;

/** For each simulated experiment as many numbers as it can have pairs: the same ones, whatever is asked. */
function normalDraws(): readonly Float64Array[] {
  if (drawn) return drawn;
  const generator = xoroshiro128plus(seed);
  const random = (): number => uniformFloat64(generator);
  drawn = Array.from({ length: experiments }, () =>
    Float64Array.from({ length: mostBlocks }, () => normalVariate(random)),
  );
  return drawn;
}

/** What of a design decides how often a comparison gets which verdict, besides the number of blocks. */
export interface ComparisonDesign {
  decision: Pick<Decision, 'level' | 'practicalThreshold'>;
  /** How many times a crossover exchanges the log volumes, so that a pair is made of two blocks; 0 without one. */
  exchanges: number;
  /** With `until: precision`, the width on the log scale at which to stop; null if all blocks are measured. */
  widest: number | null;
  /** Comparisons that are judged together. */
  comparisons: number;
}

/**
 * The verdict that a planned experiment gives on one comparison, by the rule that decides real ones.
 *
 * Whether other comparisons of the family are found to differ first, which would leave more of the error to this one, is
 * not known beforehand: none is taken for granted. Nor does this comparison gain from a run that goes on because another
 * one is not precise yet. No block is lost.
 *
 * @param blocks planned; with `until: precision` the most
 * @returns a function of the log-ratios of the pairs, one value for each pair of the plan in the order of time, of a metric
 *   of which more is better
 */
export function plannedJudge(
  blocks: number,
  { decision, exchanges, widest, comparisons }: ComparisonDesign,
): (ratios: readonly number[]) => Verdict {
  const level = simultaneousLevel(decision.level, comparisons);
  if (widest === null) {
    const pairs = pairsIn(blocks, exchanges);
    return (ratios) => {
      const values = ratios.slice(0, pairs);
      const numbered = values.map((ratio, index) => ({
        ratio,
        ...(exchanges > 1 && { exchange: 1 + Math.floor((index * exchanges) / pairs) }),
      }));
      return verdictOn(
        values,
        intervalOfSamples(samplesOf(numbered, []), ({ ratio }) => ratio, level),
        decision,
      );
    };
  }
  const looks = planLooks(blocks, decision.level);
  return (ratios) => {
    for (const look of looks) {
      const values = ratios.slice(0, look.blocks);
      const { stop, interval } = decideToStop(values, looks, { widest, comparisons });
      if (stop) return verdictOn(values, interval, decision);
    }
    return 'descriptive';
  };
}

export function pairsIn(blocks: number, exchanges: number): number {
  return exchanges > 0 ? Math.floor(blocks / 2) : blocks;
}

function verdictOn(
  ratios: readonly number[],
  interval: Interval | null,
  { practicalThreshold }: ComparisonDesign['decision'],
): Verdict {
  if (!interval) return 'descriptive';
  const { low, high } = interval;
  const change = { low: Math.expm1(low), high: Math.expm1(high) };
  // The rule asks for the values only there. Both sides vary as much.
  const pairs = withinThreshold(change, practicalThreshold)
    ? ratios.map((ratio) => ({ baseline: Math.exp(-ratio / 2), candidate: Math.exp(ratio / 2) }))
    : [];
  return judge(
    {
      estimate: {
        method: 'simulated',
        interval: { ...interval, ...change },
        // Of the estimate only the side of zero matters, and it lies within the interval.
        change: Math.expm1((low + high) / 2),
      },
      differs: excludesZero({ low, high }),
    },
    pairs,
    { better: 'higher', compared: 'ratio' },
    { metric: '', level: interval.level, practicalThreshold },
  );
}
