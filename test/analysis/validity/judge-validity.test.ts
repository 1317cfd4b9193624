import { describe, expect, it } from 'vitest';
import { assembleResult } from '../../../runner/analysis/assemble.ts';
import type { OpenedResult } from '../../../runner/analysis/open-result.ts';
import { checkSavedTrial } from '../../../runner/analysis/validity/rejudge.ts';
import type { Check } from '../../../runner/contract/check.ts';
import type { Comparison } from '../../../runner/contract/comparison.ts';
import type { Trial } from '../../../runner/contract/trial.ts';
import { withDerived } from '../../../runner/metrics/value.ts';
import { renderHtml } from '../../helpers/shown/render-html.ts';
import { renderMarkdown } from '../../../runner/report/markdown.ts';
import { renderTerminal } from '../../../runner/report/terminal/terminal.ts';
import { recordReplicas } from '../../helpers/samples/replicated-sample.ts';
import { deploy } from '../../helpers/samples/deployed-sample.ts';
import { recordSample, seriesInMemory } from '../../helpers/samples/sample-result.ts';

type Sample = ReturnType<typeof recordSample>;

const candidate = 'with-log-volume';

/** Does the same as a run: checks every trial when it ends, then compares and checks all of them. */
async function judged({ run, trials, rows, endedAt }: Sample): Promise<OpenedResult> {
  const source = seriesInMemory(rows);
  const check = async (trial: Trial): Promise<Trial> => {
    if (trial.state !== 'finished') return trial;
    const series = await source.read(trial);
    const whole = { ...trial, measures: withDerived(trial.measures, series) };
    return { ...whole, checks: checkSavedTrial(run, whole, series) };
  };
  const checked = await Promise.all(trials.map(check));
  return { result: await assembleResult({ run, steps: [], trials: checked }, { endedAt }, source), series: source };
}

async function primaryOf(sample: Sample): Promise<Comparison> {
  const { result } = await judged(sample);
  const primary = result.comparisons.find((one) => one.primary);
  if (!primary) throw new Error('nothing decides');
  expect(primary.verdict === null || primary.verdict === 'descriptive').toBe(primary.withheld.length > 0);
  return primary;
}

async function withheld(sample: Sample): Promise<string[]> {
  return (await primaryOf(sample)).withheld;
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

describe('a verdict', () => {
  it('stands where nothing failed', async () => {
    expect(await withheld(recordSample({}))).toEqual([]);
  });

  it('is withheld where one variant ran on another minor version', async () => {
    expect(await withheld(onOtherMinor(recordSample({})))).toEqual([
      `server version: the server’s version is 16.15 in without-log-volume, 16.14 in ${candidate}`,
    ]);
  });

  it('stands where the load generator leaves out the build of the same version', async () => {
    const sample = recordSample({});
    for (const variant of sample.run.variants) variant.serverVersion = '16.15 (Debian 16.15-1)';
    expect(sample.trials.map(({ facts }) => facts.identity?.['serverVersion'])).toContain('16.15');
    expect(await withheld(sample)).toEqual([]);
  });

  it('is withheld where a trial had a restart in it', async () => {
    expect(await withheld(restarted(recordSample({})))).toEqual([
      expect.stringMatching(
        /^block 3 is unknown \(a trial of it was lost: without-log-volume: restart or failover: the server restarted/,
      ),
    ]);
  });

  it('is withheld where a declared parameter is not in force, on both sides alike', async () => {
    const sample = recordSample({});
    for (const { parameters } of sample.run.variants) {
      parameters?.push({
        name: 'shared_buffers',
        asked: '32768',
        found: '16384 (8kB)',
        inForce: false,
        pendingRestart: true,
      });
    }
    expect(await withheld(sample)).toEqual([
      `settings: shared_buffers is 16384 (8kB) in without-log-volume, but 32768 is declared; shared_buffers is 16384 (8kB) in ${candidate}, but 32768 is declared`,
    ]);
  });

  it('says "as declared" of settings only where that was found in force', async () => {
    const settings = async (sample: Sample): Promise<object | undefined> =>
      (await primaryOf(sample)).checks.find(({ name }) => name === 'settings');
    expect(await settings(recordSample({}))).toMatchObject({ state: 'pass', finding: 'the same, or as declared' });
    const sample = recordSample({});
    for (const variant of sample.run.variants) delete variant.parameters;
    expect(await settings(sample)).toMatchObject({
      state: 'not assessed',
      finding: 'the same, but it is not proved that log_directory was in force as declared',
    });
  });

  it('is withheld where settings differ that nobody declared, but not where they may follow from what was', async () => {
    const sample = recordSample({});
    const other = sample.run.variants[1];
    if (!other) throw new Error('the sample has two variants');
    other.settings['synchronous_commit'] = 'off';
    // log_directory is declared to differ. It is a parameter, and other settings may follow from it.
    expect(await withheld(sample)).toEqual([]);
    for (const variant of Object.values(sample.run.experiment.definition.variants)) variant.engine.parameters = {};
    sample.run.variants.forEach(({ settings }) => (settings['log_directory'] = 'log'));
    expect(await withheld(sample)).toEqual([
      `settings: synchronous_commit is on in without-log-volume, off in ${candidate}`,
    ]);
  });

  it('is withheld where the tables of the worse side were much larger, and not where those of the better were', async () => {
    const larger = (isLarger: (variant: string) => boolean): Sample =>
      measuring(recordSample({}), ({ conditions }) => ({
        'database.sizeAtStart': isLarger(conditions.variant) ? 3e8 : 2e8,
      }));
    expect(await withheld(larger((variant) => variant !== candidate))).toEqual([
      expect.stringMatching(/^size and history of tables: .* 286 MiB .* 191 MiB/),
    ]);
    const sample = larger((variant) => variant === candidate);
    expect(await withheld(sample)).toEqual([]);
    expect((await primaryOf(sample)).checks.find(({ name }) => name === 'size and history of tables')?.state).toBe(
      'warn',
    );
  });

  it('is not withheld where tables were prepared differently, as by an index', async () => {
    const sample = measuring(recordSample({}), ({ conditions }) => ({
      'database.sizeAtStart': conditions.variant === candidate ? 2e8 : 3e8,
    }));
    const { variants } = sample.run.experiment.definition;
    Object.assign(variants[candidate] ?? {}, { prepare: ['CREATE INDEX ON purchase (customer)'] });
    expect(await withheld(sample)).toEqual([]);
    for (const variant of Object.values(variants)) Object.assign(variant, { prepare: ['VACUUM FULL'] });
    expect(await withheld(sample)).toHaveLength(1);
  });

  it('is not withheld where the faster side has written a little more history in its warm-up', async () => {
    const sample = measuring(recordSample({}), ({ conditions }) => ({
      'database.sizeAtStart': 2e8,
      'history.sizeAtStart': conditions.variant === candidate ? 4e5 : 2e5,
    }));
    expect(await withheld(sample)).toEqual([]);
  });

  describe('of deployed variants', () => {
    const deployed = (change: { zone?: string; attached?: boolean }, sample = recordSample({})): Sample => {
      deploy(sample);
      for (const [index, { deployed: server }] of sample.run.variants.entries()) {
        if (!server || index === 0) continue;
        server.dedicatedLogVolume = change.attached ?? true;
        server.availabilityZone = change.zone ?? 'us-east-1a';
      }
      return sample;
    };

    it('stands where they are as declared', async () => {
      expect(await withheld(deployed({}))).toEqual([]);
    });
    it('stands in a crossover, whatever the log volumes were at first', async () => {
      const sample = deployed({ attached: false }, recordSample({ blocks: 12 }));
      sample.run.experiment.definition.protocol.crossover = { exchanges: 1 };
      const crossed = changeTrials(sample, ({ block }) => ({ period: block > 6 ? 2 : 1 }));
      expect(await primaryOf(crossed)).toMatchObject({ verdict: 'better', scope: 'hosts-cancelled', withheld: [] });
    });
    it('is withheld where RDS or the servers have something else than was declared, on both sides alike', async () => {
      const sample = deployed({});
      for (const variant of sample.run.variants) {
        Object.assign(sample.run.experiment.definition.variants[variant.name] ?? {}, { class: 'db.r6g.xlarge' });
      }
      for (const { engine } of Object.values(sample.run.experiment.definition.variants)) engine.version = '16.14';
      expect(await withheld(sample)).toEqual([
        'server version: the server’s version is 16.15 in without-log-volume, but "16.14" is declared; ' +
          `the server’s version is 16.15 in ${candidate}, but "16.14" is declared`,
        'deployment: the instance class is db.r6g.large in without-log-volume, but "db.r6g.xlarge" is declared; ' +
          `the instance class is db.r6g.large in ${candidate}, but "db.r6g.xlarge" is declared`,
      ]);
    });
    it('is withheld where they stand in two zones', async () => {
      expect(await withheld(deployed({ zone: 'us-east-1b' }))).toEqual([
        `zone: the zone is us-east-1a in without-log-volume, us-east-1b in ${candidate}`,
      ]);
    });
    it('is withheld where the log volume that was declared is not attached', async () => {
      expect(await withheld(deployed({ attached: false }))).toContain(
        `log volume: ${candidate} has none, which is not as declared`,
      );
    });
    it('is withheld where one of several servers is not as declared, which is named', async () => {
      const sample = deployed(
        {},
        recordReplicas([1, 1, 1], { variants: { 'without-log-volume': 1, [candidate]: 1.3 } }),
      );
      for (const { name, replica, deployed: server } of sample.run.variants) {
        if (server) server.dedicatedLogVolume = name === candidate && replica !== 2;
      }
      const { result } = await judged(sample);
      const primary = result.comparisons.filter((comparison) => comparison.primary);
      expect(primary.map(({ withheld: why }) => why)).toEqual([
        [`log volume: ${candidate}-2 has none, which is not as declared`],
      ]);
    });
  });
});

describe.each([
  [
    'another minor version',
    onOtherMinor,
    'Nothing can be concluded in this start about with-log-volume against without-log-volume:',
    'server version',
  ],
  ['a restart', restarted, 'block 3 is unknown', 'restart or failover'],
])('a result with %s', async (_, change, headline, check) => {
  const { result, series } = await judged(change(recordSample({})));

  it.each([
    ['terminal', renderTerminal(result, { columns: 100, colour: false })],
    ['Markdown', renderMarkdown(result)],
    ['HTML', await renderHtml(result, series)],
  ])('has no verdict and says why, in %s', (_format, text) => {
    const words = text.replaceAll(/\s+/g, ' ');
    expect(words).toContain(headline);
    expect(words).toContain(check);
    expect(words).not.toMatch(/is \d+ % faster than/);
  });
});

describe('what is to be known before believing a verdict', () => {
  const checkOf = async (sample: Sample, name: string): Promise<Check | undefined> =>
    (await primaryOf(sample)).checks.find((one) => one.name === name);

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
    expect((await checkOf(sample, 'order'))?.finding).toBe('drawn by chance for each block');
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
    expect(await checkOf(sample, 'blocks')).toMatchObject({ state: 'warn', finding: '6 of 7 planned blocks count' });
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
      finding: expect.stringMatching(
        /^in the first quarter of its trials, without-log-volume was \d+ % slower than in the rest, with-log-volume was \d+ % slower than in the rest: /,
      ) as string,
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
    expect((await checkOf(startedAt(700, { ...options, blocks: 5 }), 'warm-up'))?.state).toBe('not assessed');
    expect((await checkOf(startedAt(700, { ...options, trialSeconds: 6 }), 'warm-up'))?.state).toBe('not assessed');
  });
});
