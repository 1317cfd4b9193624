import { describe, expect, it } from 'vitest';
import { assembleResult } from '../../../runner/analysis/assemble.ts';
import { checkSavedTrial } from '../../../runner/analysis/validity/rejudge.ts';
import type { Check } from '../../../runner/contract/check.ts';
import type { Comparison } from '../../../runner/contract/comparison.ts';
import type { Result } from '../../../runner/contract/result.ts';
import type { Trial } from '../../../runner/contract/trial.ts';
import { withDerived } from '../../../runner/metrics/value.ts';
import { primaryOf } from '../../helpers/samples/changed-sample.ts';
import { recordReplicas } from '../../helpers/samples/replicated-sample.ts';
import { deploy } from '../../helpers/samples/deployed-sample.ts';
import { recordSample, seriesInMemory } from '../../helpers/samples/sample-result.ts';

type Sample = ReturnType<typeof recordSample>;

const candidate = 'with-log-volume';

/** Does the same as a run: checks every trial when it ends, then compares and checks all of them. */
async function judged({ run, trials, rows, endedAt }: Sample): Promise<Result> {
  const source = seriesInMemory(rows);
  const check = async (trial: Trial): Promise<Trial> => {
    if (trial.state !== 'finished') return trial;
    const series = await source.read(trial);
    const whole = { ...trial, measures: withDerived(trial.measures, series) };
    return { ...whole, checks: checkSavedTrial(run, whole, series) };
  };
  const checked = await Promise.all(trials.map(check));
  return assembleResult({ run, steps: [], trials: checked }, { endedAt }, source);
}

/** The comparison that decides, without a verdict exactly if it says why. */
async function comparisonOf(sample: Sample): Promise<Comparison> {
  const primary = primaryOf(await judged(sample));
  expect(primary.verdict === null || primary.verdict === 'descriptive').toBe(primary.withheld.length > 0);
  return primary;
}

function changeTrials(sample: Sample, change: (trial: Trial) => Partial<Trial>): Sample {
  return {
    ...sample,
    trials: sample.trials.map((trial) => (trial.state === 'finished' ? { ...trial, ...change(trial) } : trial)),
  };
}

function measuring(sample: Sample, measures: (trial: Trial) => Trial['measures']): Sample {
  return changeTrials(sample, (trial) => ({ measures: { ...trial.measures, ...measures(trial) } }));
}

function restarted(sample: Sample): Sample {
  return changeTrials(sample, ({ id, facts }) => ({ facts: { ...facts, restarted: id.startsWith('block-03-1') } }));
}

function onOtherMinor(sample: Sample): Sample {
  const minor = (variant: string): string => (variant === candidate ? '16.14' : '16.15');
  const ran = changeTrials(sample, ({ conditions, facts }) => ({
    facts: { ...facts, identity: { ...facts.identity, serverVersion: minor(conditions.variant) } },
  }));
  const variants = sample.run.variants.map((one) => ({ ...one, serverVersion: minor(one.name) }));
  return { ...ran, run: { ...sample.run, variants } };
}

/** The sample with changes to what was declared, found on the servers, and measured. */
function changed(change: (sample: Sample) => void, sample = recordSample({})): Sample {
  change(sample);
  return sample;
}

const sized = (of: (variant: string) => number, metric = 'database.sizeAtStart'): Sample =>
  measuring(recordSample({}), ({ conditions }) => ({ 'database.sizeAtStart': 2e8, [metric]: of(conditions.variant) }));

function prepared(sample: Sample, ...by: (string | undefined)[]): Sample {
  return changed(({ run }) => {
    for (const [index, variant] of Object.values(run.experiment.definition.variants).entries())
      Object.assign(variant, by[index] !== undefined && { prepare: [by[index]] });
  }, sample);
}

function asleep({ run }: Sample): void {
  Object.assign(run.variants[1]?.settings ?? {}, { synchronous_commit: 'off' });
}
/** Without it, nothing is declared from which another setting may follow. */
function undeclared({ run }: Sample): void {
  for (const variant of Object.values(run.experiment.definition.variants)) variant.engine.parameters = {};
  for (const { settings } of run.variants) settings['log_directory'] = 'log';
}

function deployed(change: { zone?: string; attached?: boolean }, sample = recordSample({})): Sample {
  deploy(sample);
  for (const [index, { deployed: server }] of sample.run.variants.entries()) {
    if (!server || index === 0) continue;
    server.dedicatedLogVolume = change.attached ?? true;
    server.availabilityZone = change.zone ?? 'us-east-1a';
  }
  return sample;
}

function crossed(): Sample {
  const sample = deployed({ attached: false }, recordSample({ blocks: 12 }));
  sample.run.experiment.definition.protocol.crossover = { exchanges: 1 };
  return changeTrials(sample, ({ block }) => ({ period: block > 6 ? 2 : 1 }));
}

const parameter = {
  name: 'shared_buffers',
  asked: '32768',
  found: '16384 (8kB)',
  inForce: false,
  pendingRestart: true,
};
const replicas = { variants: { 'without-log-volume': 1, [candidate]: 1.3 } };

/** What is the matter, and the checks that take the verdict away for it, with what they say. */
type Case = [about: string, sample: () => Sample, failed: readonly string[], says?: RegExp];

describe('a verdict', () => {
  it.each<Case>([
    ['nothing', () => recordSample({}), []],
    ['another minor version', () => onOtherMinor(recordSample({})), ['server-version'], / 16\.15 in .* 16\.14 in /],
    [
      'a load generator that leaves out the build of the same version',
      () => changed(({ run }) => run.variants.forEach((one) => (one.serverVersion = '16.15 (Debian 16.15-1)'))),
      [],
    ],
    [
      'a declared parameter that is not in force, on both sides alike',
      () => changed(({ run }) => run.variants.forEach(({ parameters }) => parameters?.push(parameter))),
      ['settings'],
      /16384 .*16384 /,
    ],
    // log_directory is declared to differ. It is a parameter, and other settings may follow from it.
    ['a setting that may follow from what was declared', () => changed(asleep), []],
    [
      'a setting that nobody declared',
      () => changed((sample) => [undeclared, asleep].forEach((change) => change(sample))),
      ['settings'],
      /synchronous_commit .* on .* off /,
    ],
    [
      'larger tables of the worse side',
      () => sized((variant) => (variant === candidate ? 2e8 : 3e8)),
      ['size-and-history-of-tables'],
      / 286 MiB .* 191 MiB/,
    ],
    ['larger tables of the better side', () => sized((variant) => (variant === candidate ? 3e8 : 2e8)), []],
    [
      'tables that were prepared differently, as by an index',
      () =>
        prepared(
          sized((variant) => (variant === candidate ? 2e8 : 3e8)),
          undefined,
          'CREATE INDEX ON a (b)',
        ),
      [],
    ],
    [
      'larger tables that were prepared alike',
      () =>
        prepared(
          sized((variant) => (variant === candidate ? 2e8 : 3e8)),
          'VACUUM FULL',
          'VACUUM FULL',
        ),
      ['size-and-history-of-tables'],
    ],
    [
      'a little more history of the faster side, from its warm-up',
      () => sized((variant) => (variant === candidate ? 4e5 : 2e5), 'history.sizeAtStart'),
      [],
    ],
    ['deployed variants as they were declared', () => deployed({}), []],
    ['log volumes of a crossover, whatever they were at first', crossed, []],
    [
      'a version and a class that were not declared, on both sides alike',
      () =>
        changed(({ run }) => {
          for (const variant of Object.values(run.experiment.definition.variants)) {
            variant.class = 'db.r6g.xlarge';
            variant.engine.version = '16.14';
          }
        }, deployed({})),
      ['server-version', 'deployment'],
      / 16\.15 .*"16\.14".* 16\.15 .*r6g\.large .*r6g\.xlarge.*r6g\.large /,
    ],
    ['two zones', () => deployed({ zone: 'us-east-1b' }), ['zone'], /us-east-1a .*us-east-1b /],
    ['no log volume', () => deployed({ attached: false }), ['log-volume'], /with-log-volume/],
    [
      'no log volume of one of several servers',
      () =>
        changed(
          ({ run }) => {
            for (const { name, replica, deployed: server } of run.variants)
              if (server) server.dedicatedLogVolume = name === candidate && replica !== 2;
          },
          deployed({}, recordReplicas([1, 1, 1], replicas)),
        ),
      ['log-volume'],
      /with-log-volume-2/,
    ],
  ])('of a run with %s', async (_, sample, failed, says = /^/) => {
    const { verdict, withheld } = await comparisonOf(sample());
    expect(withheld.map(({ id }) => id)).toEqual(failed);
    expect(withheld.map(({ message }) => message).join()).toMatch(says);
    expect(verdict).toBe(failed.length === 0 ? 'better' : null);
  });

  it('is none where a server restarted in a trial, whose block is unknown', async () => {
    expect(await comparisonOf(restarted(recordSample({})))).toMatchObject({
      verdict: 'descriptive',
      unknownBlocks: [{ block: 3, reason: 'lost' }],
    });
  });

  it('says "as declared" of settings only where that was found in force', async () => {
    const settings = async (sample: Sample) => (await comparisonOf(sample)).checks.find(({ id }) => id === 'settings');
    expect((await settings(recordSample({})))?.state).toBe('pass');
    const unproved = changed(({ run }) => run.variants.forEach((variant) => delete variant.parameters));
    expect(await settings(unproved)).toMatchObject({
      state: 'not-assessed',
      finding: expect.stringContaining('log_directory') as string,
    });
  });
});

describe('what is to be known before believing a verdict', () => {
  const checkOf = async (sample: Sample, id: string): Promise<Check | undefined> =>
    (await comparisonOf(sample)).checks.find((one) => one.id === id);

  it('is a block that lies far from the others, which counts all the same', async () => {
    const odd = measuring(recordSample({ blocks: 8 }), ({ block, conditions, measures }) => ({
      tps: (measures['tps'] ?? 0) * (block === 5 && conditions.variant === candidate ? 1.1 : 1),
    }));
    expect(await checkOf(odd, 'outliers')).toMatchObject({
      state: 'warn',
      finding: expect.stringContaining('block 5 (') as string,
    });
    expect((await checkOf(recordSample({ blocks: 8 }), 'outliers'))?.state).toBe('pass');
  });

  it('is an order that was not drawn by chance', async () => {
    const sample = recordSample({});
    expect((await checkOf(sample, 'order'))?.state).toBe('pass');
    sample.run.experiment.definition.protocol.order = 'fixed';
    expect((await checkOf(sample, 'order'))?.state).toBe('warn');
  });

  it('is that a crash would destroy the data of a side', async () => {
    const sample = recordSample({});
    expect(await checkOf(sample, 'durability')).toBeUndefined();
    for (const { settings } of sample.run.variants) settings['fsync'] = 'off';
    expect((await checkOf(sample, 'durability'))?.state).toBe('warn');
  });

  it('are blocks that do not count', async () => {
    const sample = recordSample({ blocks: 7, failedTrial: { block: 2, variant: candidate } });
    expect(await checkOf(sample, 'blocks')).toMatchObject({
      state: 'warn',
      finding: expect.stringMatching(/^6 .* 7 /) as string,
    });
  });

  it('is a start that MSER-5 would leave out', async () => {
    const sample = recordSample({ trialSeconds: 100 });
    for (const rows of sample.rows.values()) {
      for (const row of rows) {
        if (row.name === 'tps') row.value = (row.second < 35 ? 500 : 1500) + ((row.second * 7919) % 13);
      }
    }
    expect(await checkOf(sample, 'warm-up')).toMatchObject({ state: 'warn' });
  });

  it('is a start that differs in many short trials, where each says too little by itself', async () => {
    const startedAt = (level: number, options: Parameters<typeof recordSample>[0]): ReturnType<typeof recordSample> => {
      const sample = recordSample(options);
      for (const row of [...sample.rows.values()].flat()) {
        if (row.name === 'tps') row.value = (row.second <= 3 ? level : 1000) + ((row.second * 7919) % 13);
      }
      return sample;
    };
    const options = { blocks: 6, trialSeconds: 12 };
    expect(await checkOf(startedAt(700, options), 'warm-up')).toMatchObject({
      state: 'warn',
      finding: expect.stringMatching(/without-log-volume .* \d+% .* with-log-volume .* \d+% /) as string,
    });
    expect((await checkOf(startedAt(1000, options), 'warm-up'))?.state).toBe('pass');
    const decidedBy = (decision: object) => {
      const sample = startedAt(960, { ...options, decision });
      for (const { measures } of sample.trials) measures['latency.withinLimit'] = 0.99;
      return checkOf(sample, 'warm-up');
    };
    // A threshold in points of a share is none of a throughput.
    expect((await decidedBy({ practicalThreshold: 0.001 }))?.state).toBe('warn');
    expect((await decidedBy({ metric: 'latency.withinLimit', practicalThreshold: 0.001 }))?.state).toBe('pass');
    expect((await checkOf(startedAt(700, { ...options, blocks: 5 }), 'warm-up'))?.state).toBe('not-assessed');
    expect((await checkOf(startedAt(700, { ...options, trialSeconds: 6 }), 'warm-up'))?.state).toBe('not-assessed');
  });
});
