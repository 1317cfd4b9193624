import type { Experiment, Protocol } from '../../runner/contract/experiment/schema.ts';
import { experimentSchema } from '../../runner/experiment/schema.ts';
import { simulateBlocks } from './experiments.ts';
import { drifting, normalNoise, type Random, secondIsSlower, seededRandom } from './noise.ts';
import { type Count, countOutcomes, rate, type Table } from './table.ts';
import { type Pair, verdictOnOutputs, verdictOnRun } from './tool.ts';

interface RuledOut {
  name: string;
  /** Whether such an experiment ends with a verdict of better or worse, although nothing differs. */
  saysSo: (random: Random) => boolean;
}

const planned = 20;
const noisy = normalNoise(0.05);

export const ruledOut: RuledOut[] = [
  ...[6, 10].flatMap((runs) => [
    {
      name: `raw outputs, ${runs} of one variant and then ${runs} of the other; drift of 10%`,
      saysSo: (random: Random) => isDifference(verdictOnOutputs(measureApart(runs, random), false)),
    },
    {
      name: `the same with \`--paired\`, ${runs} and ${runs}`,
      saysSo: (random: Random) => isDifference(verdictOnOutputs(measureApart(runs, random), true)),
    },
  ]),
  ...[6, 10].map((blocks) => ({
    name: `\`order: fixed\`, ${blocks} blocks; the second trial of a block is 5% slower`,
    saysSo: (random: Random) => {
      const pairs = simulateBlocks({ noise: secondIsSlower, blocks, effect: 0, random, order: 'fixed' });
      return isDifference(verdictOnRun(experimentOf(blocks, 'fixed'), pairs));
    },
  })),
  {
    name: `${planned} blocks, ended by hand after the first block with such a verdict, from the sixth on; a spread of 5%`,
    saysSo: (random: Random) => {
      const pairs = simulateBlocks({ noise: noisy, blocks: planned, effect: 0, random });
      const definition = experimentOf(planned, 'random');
      return anyBlock(6, planned - 1, (blocks) => isDifference(verdictOnRun(definition, pairs.slice(0, blocks))));
    },
  },
  {
    name: `${planned} blocks, ended by hand after any one of them; a spread of 5%`,
    saysSo: (random: Random) => {
      const pairs = simulateBlocks({ noise: noisy, blocks: planned, effect: 0, random });
      const blocks = 6 + Math.floor(random() * (planned - 6));
      return isDifference(verdictOnRun(experimentOf(planned, 'random'), pairs.slice(0, blocks)));
    },
  },
];

export function countRuledOut({ saysSo }: RuledOut, experiments: number): Count {
  const random = seededRandom(1);
  return countOutcomes(experiments, () => ({ saysSo: saysSo(random) }))('saysSo');
}

export function ruledOutTable(experiments: number): Table {
  return {
    title: '**By rule: how often equal variants would be called better or worse, if the design allows no verdict**',
    head: ['design', 'called better or worse'],
    rows: ruledOut.map((one) => [one.name, rate(countRuledOut(one, experiments))]),
  };
}

function isDifference(verdict: string | null): boolean {
  return verdict === 'better' || verdict === 'worse';
}

/** All trials of one side before all of the other. If pairs are asked for, the k-th trials of both sides are a pair. */
function measureApart(runs: number, random: Random): Pair[] {
  const levels = drifting.draw(2 * runs, random).map((level) => 1000 * Math.exp(level));
  return levels.slice(0, runs).map((baseline, index) => ({ baseline, candidate: levels[runs + index] ?? NaN }));
}

function anyBlock(from: number, to: number, holds: (blocks: number) => boolean): boolean {
  for (let blocks = from; blocks <= to; blocks++) if (holds(blocks)) return true;
  return false;
}

const experiments = new Map<string, Experiment>();

export function experimentOf(blocks: number, order: Protocol['order']): Experiment {
  const key = `${blocks} ${order}`;
  const known = experiments.get(key) ?? parseSimulated(blocks, order);
  experiments.set(key, known);
  return known;
}

/** An experiment of two variants, like the simulated ones. A control may be added to the variants that it judges. */
export function parseSimulated(blocks: number, order: Protocol['order'] = 'random'): Experiment {
  const experiment = experimentSchema.parse({
    name: 'simulated',
    question: 'Does anything differ?',
    variants: {
      baseline: { storage: { type: 'local', iops: 1500 } },
      candidate: { storage: { type: 'local', iops: 1000, logVolumeIops: 500 }, dedicatedLogVolume: true },
    },
    baseline: 'baseline',
    workload: { tool: 'pgbench', scale: 1, clients: 8, durationSeconds: 60, scripts: [{ builtin: 'simple-update' }] },
    protocol: { blocks, order },
  });
  return { ...experiment, protocol: { ...experiment.protocol, seed: 1 } };
}
