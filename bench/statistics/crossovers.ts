import { isCrossedOver, periodsOf } from '../../runner/contract/plan.ts';
import type { ValuePair } from '../../runner/analysis/crossover.ts';
import { type ReadPair, combinePairs } from '../../runner/analysis/units.ts';
import { mean } from '../../runner/statistics/summaries.ts';
import { normalVariate } from '../../runner/statistics/distributions.ts';
import { simulateBlocks } from './experiments.ts';
import { independent, type Random } from './noise.ts';
import type { Pair } from './tool.ts';

/** A crossover on two instances. Values are log-ratios, of candidate to baseline or of one host to the other. */
export interface SimulatedCrossover {
  exchanges: number;
  blocks: number;
  /** True of the configurations. @default nothing differs */
  effect?: number;
  /** How much faster one host is than the other, in each block. */
  hosts: (random: Random) => (block: number) => number;
  /** Standard deviation of log volumes; every exchange makes a new one. @default they are equal */
  volumes?: number;
  /** The part of the effect that an instance keeps when the log volume is taken from it. @default nothing stays behind */
  carriedOver?: number;
}

/** The pairs that an estimate uses, and what is true of these instances with their hosts cancelled out. */
export function measureCrossover(
  { exchanges, blocks, effect = 0, hosts, volumes = 0, carriedOver = 0 }: SimulatedCrossover,
  random: Random,
): { pairs: Pair[]; claimed: number } {
  const periods = periodsOf(exchanges);
  const between = hosts(random);
  const volumesMade = Array.from({ length: exchanges + 1 }, () => volumes * normalVariate(random));
  const effects = periods.map(
    (period) => effect * (period === 1 ? 1 : 1 - carriedOver) + (volumesMade[Math.floor(period / 2)] ?? 0),
  );
  const drawn = simulateBlocks({ noise: independent, blocks, effect: 0, random });
  const read = drawn.map((pair, index): ReadPair & ValuePair => {
    const period = periodOf(index + 1, { blocks, exchanges });
    const host = isCrossedOver(period) ? -between(index + 1) : between(index + 1);
    const candidate = pair.candidate * Math.exp((effects[period - 1] ?? 0) + host);
    return { ...pair, trials: [{ block: index + 1, attempt: 1 }], period, candidate };
  });
  return { pairs: combinePairs(read, 'ratio', { unit: 'block-pair', exchanges }).pairs, claimed: mean(effects) };
}

/** The period in which a plan of a crossover has a block, from 1; without a crossover always 1. */
export function periodOf(block: number, { blocks, exchanges }: { blocks: number; exchanges: number }): number {
  return 1 + Math.floor(((block - 1) * 2 * exchanges) / blocks);
}

/** From some block on, one of two hosts that were equal is slower. */
export function hostThatLoses(share: number, blocks: number): SimulatedCrossover['hosts'] {
  return (random) => {
    const from = Math.floor(random() * blocks);
    const lost = Math.log(1 - share) * (random() < 0.5 ? 1 : -1);
    return (block) => (block > from ? lost : 0);
  };
}
