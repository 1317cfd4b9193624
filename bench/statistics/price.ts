import { compareTrials } from '../../runner/analysis/compare.ts';
import { worthOf } from '../../runner/analysis/worth.ts';
import type { Comparison } from '../../runner/contract/comparison.ts';
import type { ResultVariant } from '../../runner/contract/run-record.ts';
import { normalVariate } from '../../runner/statistics/distributions.ts';
import { mean } from '../../runner/statistics/summaries.ts';
import { type Random, seededRandom } from './noise.ts';
import { type Count, countOutcomes, percent, rate, type Table } from './table.ts';
import { decision, trialOf } from './tool.ts';

/**
 * How the level of the blocks moves; both sides of a block share it. Log-throughputs of the baseline, one for each
 * block.
 */
export interface PaceCase {
  name: string;
  /** Relative change of the candidate. */
  effect: number;
  pace: (blocks: number, random: Random) => number[];
  /** Whether the level of each block is drawn anew: then the claim is about all blocks, and not only about these. */
  sampled: boolean;
}

const blocks = 6;
const trialSpread = 0.01;
/** Dollars a month that the candidate costs more. */
const [cheap, dear] = [1000, 1400];

const drawnPace =
  (spread: number): PaceCase['pace'] =>
  (count, random) =>
    Array.from({ length: count }, () => spread * normalVariate(random));
const rising =
  (by: number): PaceCase['pace'] =>
  (count) =>
    Array.from({ length: count }, (_, index) => (Math.log1p(by) * index) / (count - 1));
const walking: PaceCase['pace'] = (count, random) => {
  let level = 0;
  return Array.from({ length: count }, () => (level += 0.05 * normalVariate(random)));
};

export const paceCases: PaceCase[] = [
  ...[0.02, 0.05, 0.1, 0.2].map((spread) => ({
    name: `blocks vary by ${spread * 100}%, both sides alike`,
    effect: 0.9,
    pace: drawnPace(spread),
    sampled: true,
  })),
  { name: 'drift of 10% over the experiment', effect: 0.9, pace: rising(0.1), sampled: false },
  { name: 'drift of 50% over the experiment', effect: 0.9, pace: rising(0.5), sampled: false },
  { name: 'random walk (steps of 5%)', effect: 0.9, pace: walking, sampled: false },
  { name: 'blocks vary by 10%, and the candidate gains 5%', effect: 0.05, pace: drawnPace(0.1), sampled: true },
];

export interface PriceCounts {
  /** Intervals of the further TPS for each $100 that hold the true ones. */
  covers: Count;
  /**
   * The same for the ends of the relative change times the baseline's median, which ignores that the baseline also
   * varies.
   */
  coveredBefore: Count;
}

/** How often the price of throughput is right, by the code that prices real runs. */
export function countPrice({ effect, pace, sampled }: PaceCase, experiments: number): PriceCounts {
  const random = seededRandom(8);
  const truthOf = (levels: readonly number[]): number =>
    mean(levels.map((level) => 1000 * Math.exp(level) * effect)) / ((dear - cheap) / 100);
  const all = sampled ? truthOf(pace(2001, random)) : null;
  const count = countOutcomes(experiments, () => {
    const levels = pace(blocks, random);
    const truth = all ?? truthOf(levels);
    const comparison = compared(levels, effect, random);
    const [worth] = worthOf([comparison], variants);
    const { interval, baseline } = comparison;
    const before = (relative: number): number => (relative * (baseline.median ?? NaN)) / ((dear - cheap) / 100);
    return {
      covers: holds(worth?.tpsPer100 ?? null, truth),
      coveredBefore: holds(interval && { low: before(interval.low), high: before(interval.high) }, truth),
    };
  });
  return { covers: count('covers'), coveredBefore: count('coveredBefore') };
}

export function priceTable(experiments: number): Table {
  return {
    title: `**Price, ${blocks} blocks: how often the interval of the TPS for each $100 holds the true figure** (stated: 96.9%)`,
    head: ['level of the blocks', 'change', 'holds', 'the change times the baseline’s median'],
    rows: paceCases.map((one) => {
      const { covers, coveredBefore } = countPrice(one, experiments);
      return [one.name, `+${Math.round(one.effect * 100)}%`, rate(covers), rate(coveredBefore)];
    }),
  };
}

/** How often a dollar's throughput is right where trials of the candidate lose 80%, which costs as much as the others. */
export function countStallPrice(
  often: number,
  count: number,
  experiments: number,
): Record<'typical' | 'totals', Count> {
  const random = seededRandom(count);
  const effect = 0.2;
  const truth = ((1 + effect) * (1 - 0.8 * often)) / (dear / cheap) - 1;
  const counts = countOutcomes(experiments, () => {
    const levels = drawnPace(0.02)(count, random);
    const comparison = compared(levels, effect, random, () => (random() < often ? 0.2 : 1));
    const [worth] = worthOf([comparison], variants);
    const typical = comparison.interval && {
      low: (1 + comparison.interval.low) / (dear / cheap) - 1,
      high: (1 + comparison.interval.high) / (dear / cheap) - 1,
    };
    return { typical: holds(typical, truth), totals: holds(worth?.perDollar ?? null, truth) };
  });
  return { typical: counts('typical'), totals: counts('totals') };
}

export function stallPriceTable(experiments: number): Table {
  return {
    title:
      '**Price of stalls: how often the range of the throughput per dollar holds the true figure of all trials** (+20% for +40% cost; a stall loses 80%)',
    head: ['trials of the candidate that stall', 'blocks', 'by the typical block, as before', 'by the totals, as now'],
    rows: [0, 0.02, 0.05, 0.1, 0.2].flatMap((often) =>
      [6, 12, 30].map((count) => {
        const found = countStallPrice(often, count, experiments);
        return [percent(often), String(count), rate(found.typical), rate(found.totals)];
      }),
    ),
  };
}

function compared(
  levels: readonly number[],
  effect: number,
  random: Random,
  candidateAt: () => number = () => 1,
): Comparison {
  const noise = (): number => Math.exp(trialSpread * normalVariate(random));
  const trials = levels.flatMap((level, index) => [
    trialOf('baseline', index + 1, 1000 * Math.exp(level) * noise()),
    trialOf('candidate', index + 1, 1000 * Math.exp(level) * (1 + effect) * noise() * candidateAt()),
  ]);
  const claims = {
    scope: 'these-instances' as const,
    sharesMachine: false,
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

function holds(span: { low: number | null; high: number | null } | null, truth: number): boolean {
  return span !== null && span.low !== null && span.high !== null && span.low <= truth && truth <= span.high;
}

const variants = [variantAt('baseline', cheap), variantAt('candidate', dear)];

function variantAt(name: string, dollars: number): ResultVariant {
  const price = { low: dollars, high: dollars };
  const part = { what: name, unit: name, logVolume: false, dollarsPerMonth: price, source: 'made up', date: null };
  const cost = { region: 'made up', dollarsPerHour: price, dollarsPerMonth: price, parts: [part] };
  return { name, description: null, serverVersion: null, settings: {}, cost };
}
