import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Comparison } from '../../runner/contract/comparison.ts';
import type { Result } from '../../runner/contract/result.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { workingFolder } from '../helpers/samples/compared-sources.ts';
import { failedCheck } from '../helpers/samples/measured-trial.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

const { folder, save, saveOutputs, compare, primaries } = workingFolder();
const crash = { state: 'failed', failure: { stage: 'measure', error: 'the server ended' }, measures: {} };

describe('pgduet compare of more than two sides', () => {
  it('compares each with the first, and says before what differs between them all', async () => {
    const sample = await sampleResult({ variants: { one: 1, two: 1.3 } });
    const later = (changes: Partial<Result['variants'][number]>): Result => ({
      ...sample,
      variants: sample.variants.map((variant) => ({ ...variant, ...changes })),
    });
    await save('a', sample);
    await save('b', later({ settings: { work_mem: '4096 (kB)', wal_buffers: '512 (8kB)' } }));
    await save('c', later({ settings: { work_mem: '8192 (kB)', wal_buffers: '512 (8kB)' } }));
    const sides = ['a#one', 'b#one', 'c#two'];
    const { stdout, failed } = await compare(...sides);
    expect(failed).toBe(false);
    const [differences = '', ...tables] = stdout.split('\n\n');
    expect(differences).toMatch(/^Differences\n +a#one +b#one +c#two\n/);
    expect(differences).toMatch(/work_mem +4 MiB +4 MiB +8 MiB/);
    expect(differences).not.toContain('wal_buffers');
    expect(tables.join('\n')).toMatch(/b#one vs a#one[^]*c#two vs a#one/);
    expect((await primaries(...sides)).map(({ baseline, candidate }) => [baseline.variant, candidate.variant])).toEqual(
      [
        ['a#one', 'b#one'],
        ['a#one', 'c#two'],
      ],
    );
  });

  it('numbers candidates that are known only by several files', async () => {
    const outputs = [];
    for (const [index, tps] of [100, 200, 300].entries()) outputs.push(await saveOutputs(`o${index}-`, [tps, tps + 1]));
    const found = await primaries(...outputs);
    expect(found.map(({ baseline, candidate }) => [baseline.variant, candidate.variant])).toEqual([
      ['baseline', 'candidate 1'],
      ['baseline', 'candidate 2'],
    ]);
  });

  it('takes several variants of one result with the verdicts of its run', async () => {
    await save('a', await sampleResult({ variants: { one: 1, two: 1.3, three: 0.8 }, blocks: 8 }));
    expect(await primaries('a#one', 'a#two', 'a#three')).toMatchObject([{ verdict: 'better' }, { verdict: 'worse' }]);
  });
});

describe('pgduet compare of one result', () => {
  it('compares every variant with the baseline, by blocks', async () => {
    await save('a', await sampleResult({ variants: { one: 1, two: 1.3, three: 0.8 }, blocks: 8 }));
    await symlink('a', path.join(folder(), 'latest'));
    expect(await primaries('a', 'latest')).toMatchObject([
      { baseline: { variant: 'one', n: 8 }, candidate: { variant: 'two' }, verdict: 'better' },
      { baseline: { variant: 'one', n: 8 }, candidate: { variant: 'three' }, verdict: 'worse' },
    ]);
  });

  it('compares the variants that are named; against another baseline than the declared one it only explores', async () => {
    await save('a', await sampleResult({ variants: { one: 1, two: 1.3, three: 0.8 }, blocks: 8 }));
    expect(await primaries('a', 'a#three')).toMatchObject([{ candidate: { variant: 'three' }, verdict: 'worse' }]);
    const { stdout, stderr } = await compare('a#three', 'a/result.json#two', '--json');
    expect(stderr).toBe('');
    expect((JSON.parse(stdout) as Comparison[]).find(({ metric }) => metric === 'tps')).toMatchObject({
      baseline: { variant: 'three' },
      candidate: { variant: 'two' },
      primary: false,
      verdict: null,
      withheld: [{ id: 'chosen-afterwards', message: 'chosen after the run: three instead of one as the baseline' }],
    });
  });

  it('judges a candidate together with all others, also if it is the only one that is shown', async () => {
    await save('a', await sampleResult({ variants: { one: 1, two: 1.3, three: 0.8 }, blocks: 6 }));
    expect(await primaries('a', 'a#two')).toMatchObject([
      {
        verdict: 'descriptive',
        withheld: [
          { id: 'too-few-blocks', message: '6 blocks were compared, but a verdict among 2 comparisons needs 7' },
        ],
      },
    ]);
  });

  it('withholds the verdict where a check fails, and says which', async () => {
    const result = await sampleResult();
    const variants = result.variants.map((variant, index) => ({ ...variant, serverVersion: `16.${14 + index}` }));
    await save('a', { ...result, variants });
    const [tps] = await primaries('a', 'a');
    expect(tps).toMatchObject({ verdict: null, withheld: [{ id: 'server-version' }] });
    const { text } = await compare('a', 'a');
    for (const { message } of tps?.withheld ?? []) expect(text).toContain(message);
  });

  it('says which blocks do not count', async () => {
    await save('a', await sampleResult({ blocks: 7, failedTrial: { block: 3, variant: 'with-log-volume' } }));
    const { stdout, stderr } = await compare('a', 'a', '--json');
    expect(stderr).toContain('block 3');
    expect((JSON.parse(stdout) as Comparison[])[0]?.baseline.n).toBe(6);
  });

  it.each([
    [['--metric', 'latency.p99'], 'latency.p99', 'latency.p99 instead of tps'],
    [['--threshold', '0.5'], 'tps', 'a threshold of 0.5 instead of 0.05'],
    [['--level', '0.99'], 'tps', 'a level of 0.99 instead of 0.95'],
    [
      ['--metric', 'runtime', '--threshold', '0.5', '--level', '0.99'],
      'runtime',
      'runtime instead of tps, a threshold of 0.5 instead of 0.05, a level of 0.99 instead of 0.95',
    ],
  ])('with %j after the run explores: it shows the numbers, without a verdict', async (options, metric, chosen) => {
    const { result } = await changedSample({ blocks: 8 }, ({ run, trials }) => {
      run.experiment.definition.workload = { ...run.experiment.definition.workload, transactions: 1000 };
      delete run.experiment.definition.workload.durationSeconds;
      for (const trial of trials) trial.measures['runtime'] = 1000 / (trial.measures['tps'] ?? 1);
    });
    await save('a', result);
    expect(await primaries('a', 'a', ...options)).toEqual([]);
    const comparisons = JSON.parse((await compare('a', 'a', ...options, '--json')).stdout) as Comparison[];
    const asked = comparisons.find((one) => one.metric === metric);
    expect(asked).toMatchObject({
      verdict: null,
      withheld: [{ id: 'chosen-afterwards', message: `chosen after the run: ${chosen}` }],
    });
    expect(asked?.interval?.level).toBe(options.includes('--level') ? 0.9921875 : 0.9609375);
    expect((await compare('a', 'a', ...options)).text).toContain(chosen);
  });

  it('says what was lost also where it explores', async () => {
    const { result } = await changedSample({ blocks: 8 }, ({ trials }) => Object.assign(trials[1] ?? {}, crash));
    await save('a', result);
    const { text } = await compare('a', 'a', '--metric', 'latency.p99');
    expect(text.match(/\w+ of 8 trials/g)).toHaveLength(2);
  });

  it('judges by what the experiment declared where the same is asked for', async () => {
    await save('a', await sampleResult({ decision: { metric: 'latency.p99' } }));
    expect(await primaries('a', 'a', '--metric', 'latency.p99', '--threshold', '0.05')).toMatchObject([
      { metric: 'latency.p99', verdict: 'better' },
    ]);
  });

  it('names the checks that failed beside what is only explored', async () => {
    const result = await sampleResult();
    const variants = result.variants.map((variant, index) => ({ ...variant, serverVersion: `16.${14 + index}` }));
    await save('a', { ...result, variants });
    const { text } = await compare('a', 'a', '--metric', 'latency.p99');
    expect(text).toMatch(/latency\.p99 instead of tps; server version: .* 16\.14/);
  });

  it.each([
    [['a', 'a#withlogvolume'], 'a has no variant withlogvolume. Did you mean with-log-volume?'],
    [['a#with-log-volume', 'a#with-log-volume'], 'with-log-volume would be compared with itself'],
    [['a', 'b'], 'b does not exist. Name a folder that holds result.json'],
    [['a', 's3://bucket'], 's3://bucket is not a folder in a bucket'],
    [['a', 'a', '--threshold', '5'], 'expected a number between 0 and 1'],
  ])('refuses %j', async (words, message) => {
    await save('a', await sampleResult());
    const { stderr, stdout, failed } = await compare(...words);
    expect(stderr).toContain(message);
    expect({ stdout, failed }).toEqual({ stdout: '', failed: true });
  });
});

describe('pgduet compare of two results', () => {
  let earlier: Result;
  let later: Result;
  beforeAll(async () => {
    const nextYear = (time: string): string => time.replace('2026', '2027');
    const result = await sampleResult({ blocks: 8, variants: { 'without-log-volume': 1.4, other: 1 } });
    earlier = await sampleResult({ blocks: 8 });
    later = {
      ...result,
      trials: result.trials.map((trial) => ({
        ...trial,
        startedAt: nextYear(trial.startedAt),
        endedAt: nextYear(trial.endedAt),
      })),
    };
  });

  it('compares namesakes, and gives no verdict where one run came after the other, as pairs or not', async () => {
    await save('a', earlier);
    await save('b', later);
    const why =
      'every run of a#without-log-volume was measured before every run of b#without-log-volume, so drift may look like an effect';
    for (const options of [[], ['--paired']]) {
      expect(await primaries('a', 'b', ...options)).toMatchObject([
        {
          baseline: { variant: 'a#without-log-volume', n: 8 },
          candidate: { variant: 'b#without-log-volume', n: 8 },
          interval: null,
          verdict: 'descriptive',
          scope: null,
          withheld: [{ id: 'separate-runs', message: why }],
        },
      ]);
      const { text } = await compare('a', 'b', ...options);
      expect(text).toContain(why);
      expect(text).not.toMatch(/interval \S+ to|level/);
    }
    expect((await compare('b', 'a')).text).toContain('was measured after every run of a#without-log-volume');
  });

  it('gives no verdict where their runs overlap in time: nothing says who drew their order', async () => {
    await save('a', earlier);
    await save('b', earlier);
    for (const options of [[], ['--paired']]) {
      for (const comparison of await primaries('a', 'b', ...options)) {
        expect(comparison).toMatchObject({
          interval: null,
          verdict: 'descriptive',
          withheld: [{ id: 'separate-runs' }],
        });
      }
    }
  });

  it('names failed checks beside the reason that there is no verdict', async () => {
    const failed = earlier.trials.map((trial, index) => ({ ...trial, checks: index === 0 ? [failedCheck] : [] }));
    await save('a', { ...earlier, trials: failed });
    await save('b', later);
    expect(await primaries('a', 'b')).toMatchObject([
      {
        verdict: null,
        withheld: [
          { id: 'clock', trial: 'block-01-1-without-log-volume' },
          { id: 'separate-runs', trial: null },
        ],
      },
    ]);
  });

  it.each([[[]], [['--paired']]])('says what the servers of each side lost, with %j', async (options) => {
    const { result } = await changedSample({ blocks: 8 }, ({ trials }) => {
      for (const trial of trials.filter(({ conditions }) => conditions.variant === 'with-log-volume')) {
        if (trial.block > 4) Object.assign(trial, crash);
      }
    });
    // A pair has a run on either side.
    await save('a', options.length > 0 ? result : earlier);
    await save('b', result);
    const [side, other] = ['a#with-log-volume', 'b#with-log-volume'];
    const [comparison] = await primaries(side, other, ...options);
    const lostBefore = options.length > 0 ? 4 : 0;
    expect(comparison).toMatchObject({
      baseline: { n: 8 - lostBefore },
      candidate: { n: 4 },
      verdict: 'descriptive',
      losses: { baseline: { lost: lostBefore, of: 8 }, candidate: { lost: 4, of: 8 } },
    });
    expect(comparison?.withheld.map(({ id }) => id)).toEqual(
      ['separate-runs', 'lost-trials'].concat(lostBefore > 0 ? ['lost-trials'] : []),
    );
    expect((await compare(side, other, ...options)).text).toContain(
      `; ${other} lost 4 of 8 trials, ${side} lost ${lostBefore || 'none'} of 8 trials.`,
    );
  });

  it('says nothing of losses where nothing was lost', async () => {
    await save('a', earlier);
    await save('b', later);
    expect((await primaries('a', 'b'))[0]).not.toHaveProperty('losses');
    expect((await compare('a', 'b')).text).not.toContain(' lost ');
  });

  it('counts one attempt at each block: the one that the run’s own comparison uses', async () => {
    await save('a', await sampleResult({ blocks: 8, repeatedBlock: { block: 2, factor: 2 } }));
    await save('b', later);
    const [comparison] = await primaries('a#without-log-volume', 'b#without-log-volume');
    expect(comparison).toMatchObject({ baseline: { n: 8 }, candidate: { n: 8 }, verdict: 'descriptive' });
  });

  it('names differences that nobody declared, and none that the experiment declares', async () => {
    await save('a', earlier);
    await save('b', {
      ...later,
      variants: later.variants.map((variant) => ({
        ...variant,
        serverVersion: '16.16',
        settings: { ...variant.settings, wal_buffers: '1024 (8kB)' },
      })),
    });
    const { stderr } = await compare('a#without-log-volume', 'b#other');
    expect(stderr).toContain('the server’s version is 16.15 in a#without-log-volume, 16.16 and 16.15 in b#other');
    expect(stderr).toContain('wal_buffers is 512 (8kB) in a#without-log-volume, 1024 (8kB) in b#other');
    expect(stderr).not.toContain('the scale');
  });

  it('asks which variant where there is no namesake', async () => {
    await save('a', earlier);
    await save('b', later);
    expect((await compare('a#with-log-volume', 'b')).stderr).toContain(
      'have no variant with-log-volume in common. Name one on each side: a#VARIANT b#VARIANT.',
    );
  });
});
