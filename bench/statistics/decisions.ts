import { independent, type Noise, noises, normalNoise, type Random, seededRandom } from './noise.ts';
import { simulateBlocks } from './experiments.ts';
import { simulate } from './simulations.ts';
import { type Count, countOutcomes, percent, rate, type Table } from './table.ts';
import { decideAlone } from './tool.ts';

const blockCounts = [6, 8, 10, 20];

/** What pgduet says about variants that differ. */
export function decisionTables(experiments: number): Table[] {
  return [
    coverageTable(experiments),
    powerTable(experiments),
    verdictsTable(experiments),
    controlTable(experiments),
    stallingBaselineTable(experiments),
  ];
}

function coverageTable(experiments: number): Table {
  return {
    title: '**Intervals: how often they hold a true change of +10%**',
    head: ['noise', 'blocks', 'stated level', 'coverage', 'median width'],
    rows: noises.flatMap((noise) =>
      blockCounts.map((blocks) => {
        const { covers, level, width } = simulate({ noise, blocks, effect: 0.1, experiments });
        return [noise.name, String(blocks), percent(level), rate(covers), `${(width * 100).toFixed(1)} points`];
      }),
    ),
  };
}

function powerTable(experiments: number): Table {
  return {
    title: '**Power: how often a true change of +5% is called better**',
    head: ['spread of a trial (standard deviation)', ...blockCounts.map((blocks) => `${blocks} blocks`)],
    rows: [0.01, 0.02, 0.03, 0.05].map((spread) => {
      const noise = normalNoise(spread);
      const counts = blockCounts.map((blocks) => simulate({ noise, blocks, effect: 0.05, experiments }).better);
      return [percent(spread), ...counts.map(rate)];
    }),
  };
}

function verdictsTable(experiments: number): Table {
  return {
    title: '**Verdicts of ten blocks at a practical threshold of 5% and a spread of 2%** (the rest is inconclusive)',
    head: ['true change', 'better', 'equivalent', 'worse'],
    rows: [0, 0.025, 0.05, 0.1].map((effect) => {
      const { better, equivalent, worse } = simulate({ noise: independent, blocks: 10, effect, experiments });
      return [`+${effect * 100}%`, rate(better), rate(equivalent), rate(worse)];
    }),
  };
}

/** A control is the baseline once more. Here something makes it 5% slower all the same. */
function controlTable(experiments: number): Table {
  return {
    title: '**Control: the baseline once more, but something makes it 5% slower**',
    head: ['spread of a trial', 'blocks', 'passes', 'not settled', 'differs: no verdict'],
    rows: [0.02, 0.03, 0.05].flatMap((spread) =>
      [6, 10].map((blocks) => {
        const found = simulate({ noise: normalNoise(spread), blocks, effect: 1 / 1.05 - 1, experiments });
        const { equivalent, inconclusive, differs } = found;
        return [percent(spread), String(blocks), rate(equivalent), rate(inconclusive), rate(differs)];
      }),
    ),
  };
}

/** A baseline whose trials stall now and then, and a candidate whose trials do not. */
export const stallingShare = 0.2;
export const stallingLoss = 0.3;

export interface StallCounts {
  equivalent: Count;
  /** … although a trial of the experiment did stall. */
  equivalentDespiteStall: Count;
  better: Count;
}

export function countStallingBaseline(noise: Noise, blocks: number, experiments: number): StallCounts {
  const random: Random = seededRandom(blocks);
  const count = countOutcomes(experiments, () => {
    let stalled = false;
    const pairs = simulateBlocks({ noise, blocks, effect: 0, random }).map(({ baseline, candidate }) => {
      const stallsNow = random() < stallingShare;
      stalled ||= stallsNow;
      return { baseline: stallsNow ? baseline * (1 - stallingLoss) : baseline, candidate };
    });
    const { verdict } = decideAlone(pairs);
    const equivalent = verdict === 'equivalent';
    return { equivalent, equivalentDespiteStall: equivalent && stalled, better: verdict === 'better' };
  });
  return {
    equivalent: count('equivalent'),
    equivalentDespiteStall: count('equivalentDespiteStall'),
    better: count('better'),
  };
}

function stallingBaselineTable(experiments: number): Table {
  const gain = percent(1 / (1 - stallingShare * stallingLoss) - 1);
  return {
    title: `**Stalls: a baseline that loses ${stallingLoss * 100}% in one trial of five, and a candidate that does not** (+${gain} of the totals, nothing at the median; a spread of 1%)`,
    head: ['blocks', 'called equivalent', '… although a trial stalled', 'better'],
    rows: [6, 10, 20, 40].map((blocks) => {
      const counts = countStallingBaseline(normalNoise(0.01), blocks, experiments);
      const { equivalent, equivalentDespiteStall, better } = counts;
      return [String(blocks), rate(equivalent), rate(equivalentDespiteStall), rate(better)];
    }),
  };
}
