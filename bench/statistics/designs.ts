import type { Verdict } from '../../runner/contract/comparison.ts';
import { crossoverPairs, knownOf } from '../../runner/analysis/crossover.ts';
import type { ValuesOfPair } from '../../runner/analysis/side-values.ts';
import { isCrossedOver } from '../../runner/contract/plan.ts';
import type { ComparisonDesign } from '../../runner/analysis/blocks-needed.ts';
import { levelAt } from '../../runner/analysis/stopping.ts';
import { decideToStop, planLooks } from '../../runner/statistics/sequential.ts';
import { periodOf } from './crossovers.ts';
import { simulateBlocks } from './experiments.ts';
import { normalNoise, type Random } from './noise.ts';
import { decideAlone } from './tool.ts';

/** What is true of a simulated experiment. */
export interface Truth {
  /** Log-ratio of candidate to baseline. */
  effect: number;
  /** Standard deviation of the log-ratio of a block. */
  spread: number;
}

/** How much faster one host is than the other, as a log-ratio. Only the blocks of a crossover include it. */
const hostDifference = 0.03;

/** Draws the blocks of an experiment by the code that orders real ones, with the period of each. */
export function drawDesign(design: ComparisonDesign, blocks: number, { effect, spread }: Truth, random: Random) {
  // Both trials of a block vary alike.
  const drawn = simulateBlocks({ noise: normalNoise(spread / Math.SQRT2), blocks, effect, random });
  return drawn.map(({ baseline, candidate }, index) => {
    const period = periodOf(index + 1, { ...design, blocks });
    const host = design.exchanges > 0 ? Math.exp(isCrossedOver(period) ? -hostDifference : hostDifference) : 1;
    return { trials: [{ block: index + 1, attempt: 1 }], period, baseline, candidate: candidate * host };
  });
}

/** The verdict of a simulated experiment, of one comparison, by the functions that judge real ones. */
export function simulateDesign(design: ComparisonDesign, blocks: number, truth: Truth, random: Random): Verdict {
  const { exchanges, decision, widest } = design;
  const drawn = drawDesign(design, blocks, truth, random);
  if (widest === null)
    return verdictOn(
      exchanges > 0 ? knownOf(crossoverPairs(drawn, 'ratio', exchanges)) : drawn,
      decision.level,
      decision,
    );
  const looks = planLooks(blocks, decision.level, { plan: widest === 'verdict' ? 'early' : 'even' });
  const ratios = drawn.map(({ baseline, candidate }) => Math.log(candidate / baseline));
  const stopped = looks.find(({ blocks: count, level }) =>
    widest === 'verdict'
      ? verdictOn(drawn.slice(0, count), level - 1e-12, decision) !== 'inconclusive'
      : decideToStop(ratios.slice(0, count), looks, { widest }).stop,
  );
  const count = stopped?.blocks ?? blocks;
  return verdictOn(drawn.slice(0, count), levelAt(looks, count, decision.level), decision);
}

export function verdictOn(
  pairs: readonly ValuesOfPair[],
  level: number,
  { practicalThreshold }: ComparisonDesign['decision'],
): Verdict {
  return decideAlone(pairs, { metric: 'tps', level, practicalThreshold }).verdict;
}
