import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ReadPair, combinePairs } from '../../runner/analysis/units.ts';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { type Design, designOf } from '../../runner/experiment/plan/design.ts';
import { periodOf } from './crossovers.ts';
import { simulateFamily } from './experiments.ts';
import { independent, seededRandom } from './noise.ts';
import { type Count, countOutcomes, rate, type Table } from './table.ts';
import { decide, type Pair } from './tool.ts';

const folder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** A design that users get unless they change it. */
export interface DefaultDesign {
  name: string;
  experiment: Experiment;
  design: Design;
}

/** The ready experiments as they are, their profiles that should lead to a verdict, and ladders of clients. */
export function defaultDesigns(): DefaultDesign[] {
  const ready = [
    ['quick'],
    ['dlv-pgbench'],
    ['dlv-pgbench', 'crossover'],
    ['dlv-pgbench', 'replicas'],
    ['a-a'],
    ['wal-placement'],
    ['dlv-ladder'],
    ['dlv-tprocc-multi-az'],
    ['deployment-options'],
    ['postgresbench'],
    ['version-upgrade'],
    ['log-volume-equal-iops'],
    ['log-volume-latency'],
  ].map(([name = '', profile]) => {
    const { experiment } = loadExperiment(name, { folder, profile, seed: 1 });
    return {
      name: profile ? `\`${name}\`, profile \`${profile}\`` : `\`${name}\``,
      experiment,
      design: designOf(experiment),
    };
  });
  const quick = loadExperiment('quick', { folder, seed: 1 }).experiment;
  const ladders = [2, 3, 4, 6].map((count) => {
    const clients = Array.from({ length: count }, (_, index) => 2 ** (index + 2));
    const workload = { ...quick.workload, clients };
    const { blocksForVerdict } = designOf({ ...quick, workload });
    const experiment = { ...quick, workload, protocol: { ...quick.protocol, blocks: blocksForVerdict } };
    return {
      name: `\`quick\` at ${count} numbers of clients, with the blocks that \`plan\` asks for`,
      experiment,
      design: designOf(experiment),
    };
  });
  return [...ready, ...ladders];
}

/** How often every candidate at every level is called better, if each is better by this share. */
export function countDecided({ experiment, design }: DefaultDesign, effect: number, experiments: number): Count {
  const { blocks } = experiment.protocol;
  const random = seededRandom(blocks);
  const effects = Array.from({ length: design.comparisons }, () => Math.log1p(effect));
  return countOutcomes(experiments, () => {
    const replicas = Array.from({ length: design.replicas }, () =>
      simulateFamily({ noise: independent, blocks, effects, random }),
    );
    const family = effects.map(
      (_, candidate) =>
        combinePairs(
          replicas.flatMap((pairs, index) => read(pairs[candidate] ?? [], index + 1, design)),
          'ratio',
          design,
        ).pairs,
    );
    return { better: decide(family, experiment.decision).every(({ verdict }) => verdict === 'better') };
  })('better');
}

function read(pairs: readonly Pair[], replica: number, { exchanges }: Design): ReadPair[] {
  return pairs.map((pair, index) => ({
    ...pair,
    trials: [{ block: index + 1, attempt: 1, replica }],
    period: periodOf(index + 1, { blocks: pairs.length, exchanges }),
  }));
}

export function defaultsTable(experiments: number): Table {
  return {
    title: '**The tool decides: how often +10% is called better at a spread of 2%, all comparisons at once**',
    head: ['experiment', 'comparisons', 'blocks', 'blocks that a verdict takes', 'true change', 'all called better'],
    rows: defaultDesigns().map((one) => {
      const { decision, protocol } = one.experiment;
      // A change within the practical threshold should be called equivalent.
      const effect = Math.max(0.1, 2 * decision.practicalThreshold);
      return [
        one.name,
        String(one.design.comparisons),
        String(protocol.blocks),
        String(one.design.blocksForVerdict),
        `+${effect * 100}%`,
        rate(countDecided(one, effect, experiments)),
      ];
    }),
  };
}
