import { mean } from '../../runner/statistics/summaries.ts';
import { bestByHalves, levelCentres, reachWithin } from '../../runner/statistics/knee.ts';
import { normalVariate } from '../../runner/statistics/distributions.ts';
import { hodgesLehmann } from '../../runner/statistics/signed-rank.ts';
import { type Random, seededRandom } from './noise.ts';
import { type Count, countOutcomes, percent, rate, type Table } from './table.ts';

export interface LadderCase {
  name: string;
  blocks: number;
  /** Throughput and latency (seconds) of each level, from the lowest. */
  tps: readonly number[];
  latency: readonly number[];
  /** The highest level, by index, up to which latency keeps to the target; -1 if there is none. */
  reach: number;
}

const targetSeconds = 0.02;
const trialSpread = 0.05;
/** Blocks have a pace of their own, which throughput and latency of all levels share. */
const paceSpread = 0.02;

const plateau = { tps: [400, 790, 800, 800, 795], latency: [0.005, 0.008, 0.012, 0.016, 0.03] };

export const ladderCases: LadderCase[] = [7, 8, 10, 20].flatMap((blocks) => [
  { name: 'latency far from the target', blocks, ...plateau, reach: 3 },
  {
    name: 'rising throughput, latency 2% from the target',
    blocks,
    tps: [200, 380, 500, 560, 580],
    latency: [0.005, 0.009, 0.014, 0.0196, 0.03],
    reach: 3,
  },
  {
    name: 'the same, just above the target',
    blocks,
    tps: [200, 380, 500, 560, 580],
    latency: [0.005, 0.009, 0.014, 0.0204, 0.03],
    reach: 2,
  },
]);

export interface LadderCounts {
  /** Intervals of the throughput at the target that hold the true one. */
  covers: Count;
  /** Mean of the best throughput, against the true best: 0.01 is 1% too high. */
  bestBias: number;
  /** The same of the highest of the estimates, which is the luckiest. */
  highestBias: number;
}

/** What the functions for real ladders find in simulated ones. */
export function countLadder({ blocks, tps, latency, reach }: LadderCase, experiments: number): LadderCounts {
  const random = seededRandom(blocks);
  const [bests, highest]: [number[], number[]] = [[], []];
  const max = Math.max(...tps);
  const count = countOutcomes(experiments, () => {
    const { times, rates } = simulateLadder({ blocks, tps, latency }, random);
    const halved = rates.map((values, index) => ({ half: index % 2 === 0 ? (0 as const) : (1 as const), values }));
    const best = (bestByHalves(halved)?.values ?? []).map((value) => Math.log(value ?? NaN));
    bests.push(Math.exp(hodgesLehmann(best) ?? NaN) / max - 1);
    highest.push(Math.exp(Math.max(...levelCentres(rates).map((centre) => centre ?? NaN))) / max - 1);
    const { throughputInterval: interval } = reachWithin(times, rates, { limit: targetSeconds, level: 0.95 });
    const truth = tps[reach] ?? 0;
    return { covers: interval !== null && interval.low <= truth && truth <= interval.high };
  });
  return { covers: count('covers'), bestBias: mean(bests), highestBias: mean(highest) };
}

export function laddersTable(experiments: number): Table {
  return {
    title: `**Ladders of five levels: the throughput at a latency target, and the best throughput** (a trial varies by ${trialSpread * 100}%)`,
    head: [
      'ladder',
      'blocks',
      'the interval at the target holds (stated: 95%)',
      'the best is too high by',
      'the highest of the estimates is too high by',
    ],
    rows: ladderCases.map((one) => {
      const { covers, bestBias, highestBias } = countLadder(one, experiments);
      return [one.name, `${one.blocks}`, rate(covers), percent(bestBias), percent(highestBias)];
    }),
  };
}

interface SimulatedLadder {
  times: number[][];
  rates: number[][];
}

export function simulateLadder(
  { blocks, tps, latency }: Pick<LadderCase, 'blocks' | 'tps' | 'latency'>,
  random: Random,
): SimulatedLadder {
  const paces = Array.from({ length: blocks }, () => paceSpread * normalVariate(random));
  const draw = (truth: readonly number[], sign: 1 | -1): number[][] =>
    paces.map((pace) => truth.map((value) => value * Math.exp(sign * pace + trialSpread * normalVariate(random))));
  return { rates: draw(tps, 1), times: draw(latency, -1) };
}
