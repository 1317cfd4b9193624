import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { isSettled, type Verdict } from '../contract/comparison.ts';
import { periodsOf } from '../contract/plan.ts';
import { excludesZero, minPairs, type Interval, simultaneousLevel } from '../statistics/exact-interval.ts';
import { normalVariate } from '../statistics/distributions.ts';
import { decideToStop, firstEvenLook, planLooks } from '../statistics/sequential.ts';
import type { Decision } from '../contract/experiment/schema.ts';
import { intervalOfSamples, samplesOf } from './crossover.ts';
import { totalsOf, withinThreshold } from './totals.ts';
import { judge } from './verdict.ts';

/** If an experiment needs more blocks, longer trials or a larger effect are the better choice. */
export const maxBlocks = 200;

/** What a planned experiment should find. */
export interface Goal {
  /** True log-ratio of candidate to baseline, for a metric whose higher values are better. */
  effect: number;
  verdict: Verdict;
  /** Chance of the verdict, such as 0.8. */
  power: number;
}

/**
 * The fewest blocks that reach the verdict with the power; in a crossover, every period has equally many. Experiments
 * are simulated with the rule that decides real ones, and with independent normal log-ratios of blocks. The simulation
 * must exceed the power by one of its standard errors. From 64 pairs on, the number is the smallest to within one in
 * 64.
 *
 * The effect of a goal `better` or `worse` should be at least the practical threshold. The power for a smaller effect
 * rises only up to some number of blocks. Beyond it, the effect is called equivalent more and more often.
 *
 * @param spread standard deviation of the log-ratio of a block
 * @returns null if `maxBlocks` are not enough
 */
export function blocksNeeded(spread: number, goal: Goal, design: ComparisonDesign): number | null {
  const step = Math.max(1, periodsOf(design.exchanges).length);
  const suffices = (steps: number): boolean => reaches(goal, steps * step, spread, design);
  const max = Math.floor(maxBlocks / step);
  const min = typeof design.widest === 'number' ? firstEvenLook : Math.ceil(minPairs / pairsIn(step, design.exchanges));
  let low = min - 1;
  let high = min;
  while (!suffices(high)) {
    if (high >= max) return null;
    [low, high] = [high, Math.min(max, high * 2)];
  }
  // Exact levels are discrete and looks are few, so power goes up and down while there are few pairs.
  if (high <= 32) {
    high = min;
    while (!suffices(high)) high++;
    return high * step;
  }
  // A plan of this size need not be exact to the block, and every step takes time.
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
  for (const simulated of simulateVerdicts(effect, blocks, spread, design)) if (simulated === verdict) hits++;
  return hits / experiments;
}

/** Simulates only as many experiments as it takes to know. */
function reaches({ effect, verdict, power }: Goal, blocks: number, spread: number, design: ComparisonDesign): boolean {
  const needed = experiments * power + Math.sqrt(experiments * power * (1 - power));
  let hits = 0;
  let done = 0;
  for (const simulated of simulateVerdicts(effect, blocks, spread, design)) {
    done++;
    if (simulated === verdict) hits++;
    if (hits >= needed || hits + experiments - done < needed) break;
    // At four standard errors from the wanted power, the remaining experiments will not change the answer.
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
  for (const ratios of simulatedRatios(effect, pairsIn(blocks, design.exchanges), {
    // The pair of a crossover is the mean of two blocks.
    spread: design.exchanges > 0 ? spread / Math.SQRT2 : spread,
  })) {
    yield verdictOn(ratios);
  }
}

/**
 * The log-ratios of the pairs of each simulated experiment: independent and normal.
 *
 * @param effect true log-ratio
 * @param of.spread standard deviation of the log-ratio of a pair
 */
export function* simulatedRatios(effect: number, pairs: number, of: { spread: number }): Generator<number[]> {
  for (const normal of normalDraws()) {
    yield Array.from({ length: pairs }, (_, pair) => effect + of.spread * (normal[pair] ?? 0));
  }
}

/** Experiments that are simulated. */
export const experiments = 2000;
/** Not the seed of the experiment: a pilot leads to the same answer whatever order is drawn. */
const seed = 11;
let drawn: Float64Array[] | undefined;

/** One number for each pair that a simulated experiment can have: the same numbers, whatever is asked. */
function normalDraws(): readonly Float64Array[] {
  if (drawn) return drawn;
  const generator = xoroshiro128plus(seed);
  const random = (): number => uniformFloat64(generator);
  drawn = Array.from({ length: experiments }, () =>
    Float64Array.from({ length: maxBlocks }, () => normalVariate(random)),
  );
  return drawn;
}

/** The parts of a design that, besides the number of blocks, decide how often a comparison gets each verdict. */
export interface ComparisonDesign {
  decision: Pick<Decision, 'level' | 'practicalThreshold'>;
  /**
   * How many times a crossover exchanges the log volumes; 0 without a crossover. In one, a pair consists of two blocks.
   */
  exchanges: number;
  /**
   * With `until: precision`, the width on the log scale at which to stop; `verdict` with `until: verdict`; null if all
   * blocks are measured.
   */
  widest: number | 'verdict' | null;
  /** Comparisons that are judged together. */
  comparisons: number;
}

/**
 * The verdict of a planned experiment on one comparison, by the rule that decides real ones.
 *
 * If other comparisons of the family were found to differ first, they would leave more of the error to this one. That
 * is not known beforehand, so the simulation does not count on it. Nor does this comparison gain from a run that
 * continues because another comparison is not precise yet. No block is lost.
 *
 * @param blocks planned number; with `until: precision` or `verdict`, the largest
 * @returns a function of the log-ratios of the pairs: one value for each pair of the plan, in the order of time, for a
 *   metric whose higher values are better
 */
export function plannedJudge(blocks: number, design: ComparisonDesign): (ratios: readonly number[]) => Verdict {
  const endOf = plannedEnd(blocks, design);
  return (ratios) => endOf(ratios).verdict;
}

/** The same, with the number of pairs from which the verdict comes: a run that looks may end before its last block. */
export function plannedEnd(
  blocks: number,
  { decision, exchanges, widest, comparisons }: ComparisonDesign,
): (ratios: readonly number[]) => { verdict: Verdict; pairs: number } {
  const level = simultaneousLevel(decision.level, comparisons);
  if (widest === null) {
    const pairs = pairsIn(blocks, exchanges);
    return (ratios) => {
      const values = ratios.slice(0, pairs);
      const numbered = values.map((ratio, index) => ({
        ratio,
        ...(exchanges > 1 && { exchange: 1 + Math.floor((index * exchanges) / pairs) }),
      }));
      const interval = intervalOfSamples(samplesOf(numbered, []), ({ ratio }) => ratio, level);
      return { verdict: verdictOn(values, interval, decision), pairs };
    };
  }
  const looks = planLooks(blocks, decision.level, { comparisons, plan: widest === 'verdict' ? 'early' : 'even' });
  return (ratios) => {
    for (const look of looks) {
      const values = ratios.slice(0, look.blocks);
      const { stop, interval } = decideToStop(values, looks, {
        widest: widest === 'verdict' ? -Infinity : widest,
        comparisons,
      });
      const verdict = verdictOn(values, interval, decision);
      if (stop || (widest === 'verdict' && isSettled(verdict))) return { verdict, pairs: look.blocks };
    }
    return { verdict: 'descriptive', pairs: blocks };
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
  const differs = excludesZero({ low, high });
  // The rule needs the values only then. Both sides vary equally.
  const pairs =
    differs || withinThreshold(change, practicalThreshold)
      ? ratios.map((ratio) => ({ baseline: Math.exp(-ratio / 2), candidate: Math.exp(ratio / 2) }))
      : [];
  return judge(
    {
      estimate: {
        method: 'simulated',
        interval: { ...interval, ...change },
        // Only the sign of the estimate matters, and it lies within the interval.
        change: Math.expm1((low + high) / 2),
      },
      differs,
    },
    totalsOf(pairs),
    { better: 'higher', compared: 'ratio' },
    { metric: '', level: interval.level, practicalThreshold },
  ).verdict;
}
