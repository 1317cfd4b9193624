import type { OpenedResult } from '../../../runner/analysis/open-result.ts';
import { changedSample, type RecordedSample } from './changed-sample.ts';
import { deployWithCosts } from './deployed-sample.ts';
import { failedCheck } from './measured-trial.ts';
import { readingSample } from './reading-sample.ts';
import { recordSample, sampleRun, type SampleOptions } from './sample-result.ts';

/** The kinds of results that a report must suit, each through the real analysis and with its series. */
export const reportedResults: Record<string, () => Promise<OpenedResult>> = {
  quick: () => sampleRun(),
  descriptive: () => changedSample({}, ({ run }) => (run.experiment.definition.protocol.order = 'fixed')),
  worse: () => sampleRun({ variants: { base: 1, slow: 0.8 } }),
  withheld: () =>
    changedSample({}, ({ run }) => {
      for (const [index, variant] of run.variants.entries()) variant.serverVersion = `16.${14 + index}`;
    }),
  inconclusive: () => sampleRun({ variants: { base: 1, same: 1 }, decision: { practicalThreshold: 0.001 } }),
  equivalent: () => sampleRun({ variants: { base: 1, same: 1 } }),
  'six variants': () => sixVariants(1),
  'six variants with a failed control': () => sixVariants(1.2),
  ladder: () => ladderSample({ blocks: 8 }, [1, 4, 16, 64]),
  'crowded, with hostile names': crowded,
  'only reads': readingSample,
  'beside other programs': besideOthers,
  'deployed with prices': () => changedSample({}, (recorded) => deployWithCosts(recorded)),
};

/** What others took of the machine, which had to be quiet: of two processors, more than a third each. */
export function besideOthers(): Promise<OpenedResult> {
  const share = 0.64;
  const neighbours = [
    { name: 'node', processors: 0.72 },
    { name: 'postgres', processors: 0.14 },
    { name: 'process_api', processors: 0.12 },
  ];
  const finding =
    'other programs used 64% of this machine’s CPUs (node 0.72, postgres 0.14, process_api 0.12 processors)';
  return changedSample({}, ({ run, trials }) => {
    run.experiment.definition.protocol.quietMachine = 'required';
    for (const trial of trials) {
      trial.measures = { ...trial.measures, 'driver.others': share, 'driver.own': 0.3, 'driver.processors': 2 };
      trial.facts = { ...trial.facts, neighbours };
      trial.checks = [
        { id: 'other-programs', name: 'other programs', state: 'fail', finding, outside: 'other-programs' },
      ];
    }
  });
}

/** @param again how fast the baseline is once more */
function sixVariants(again: number): Promise<OpenedResult> {
  const variants = { base: 1, again, compressed: 1.1, 'log-volume': 1.31, 'small-wal': 0.8, 'more-iops': 1.5 };
  return changedSample({ variants, blocks: 8 }, ({ run }) => {
    const own = run.experiment.definition.variants;
    const { base } = own;
    if (base) own['again'] = { ...base, description: 'the baseline once more' };
    for (const variant of run.variants) {
      if (variant.name === 'again') variant.settings = run.variants[0]?.settings ?? {};
    }
  });
}

/** @param levels numbers of clients; the more, the more the candidate is ahead */
export function ladderSample(options: SampleOptions, levels: readonly number[]): Promise<OpenedResult> {
  return changedSample(options, (recorded) => {
    const { run, trials, rows } = recorded;
    run.experiment.definition.workload['clients'] = [...levels];
    const climbed = levels.flatMap((clients, index) => {
      const throughput = Math.sqrt(clients);
      const factors = { 'without-log-volume': throughput, 'with-log-volume': throughput * (0.94 + 0.15 * index) };
      const own = recordSample({ ...options, variants: factors, seed: index + 1 });
      return own.trials.map((trial) => {
        const id = `${trial.id}-${clients}`;
        const series = own.rows.get(trial.id);
        if (series) rows.set(id, series);
        return { ...trial, id, conditions: { clients, variant: trial.conditions.variant } };
      });
    });
    trials.splice(0, Infinity, ...climbed);
  });
}

/** Names of 40 characters, as a changed file may hold them, of which each has a tag in it. */
const longNames = ['one', 'two', 'three', 'four'].map((name) =>
  `${name}-<b onclick="owned()">&amp;</b>-with-a-long-name`.padEnd(40, '-').slice(0, 40),
);

function crowded(): Promise<OpenedResult> {
  const variants = { one: 1, two: 1.1, three: 1.3, four: 0.9 };
  const options = {
    variants,
    blocks: 20,
    repeatedBlock: { block: 4, factor: 1.5 },
    failedTrial: { block: 9, variant: 'two' },
  };
  return changedSample(options, (recorded) => {
    for (const trial of recorded.trials.filter(({ block }) => block === 12)) {
      if (trial.conditions.variant === 'four') trial.checks = [failedCheck];
    }
    rename(recorded, new Map(Object.keys(variants).map((name, index) => [name, longNames[index] ?? name])));
  });
}

/** Gives the variants other names, which no experiment's file may have. */
function rename({ run, trials }: RecordedSample, names: ReadonlyMap<string, string>): void {
  const renamed = (name: string): string => names.get(name) ?? name;
  const { definition } = run.experiment;
  definition.variants = Object.fromEntries(
    Object.entries(definition.variants).map(([name, variant]) => [renamed(name), variant]),
  );
  definition.baseline = renamed(definition.baseline);
  run.experiment.baseline = renamed(run.experiment.baseline);
  for (const variant of run.variants) variant.name = renamed(variant.name);
  for (const { conditions } of trials) conditions.variant = renamed(conditions.variant);
}
