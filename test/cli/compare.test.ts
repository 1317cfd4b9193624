import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Comparison } from '../../runner/contract/comparison.ts';
import type { Result } from '../../runner/contract/result.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { pgbenchOutput } from '../helpers/samples/pgbench-output.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { saveResult } from '../helpers/samples/saved-sample.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'pgduet-compare-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function save(name: string, content: string | Result): Promise<void> {
  const file = path.join(folder, name);
  return typeof content === 'string' ? writeFile(file, content) : saveResult(file, content);
}

async function saveOutputs(prefix: string, throughputs: readonly number[]): Promise<string> {
  const names = throughputs.map((_, index) => `${prefix}${index + 1}.log`);
  for (const [index, tps] of throughputs.entries()) await save(names[index] ?? '', pgbenchOutput({ tps }));
  return names.join(',');
}

async function compare(...words: string[]): Promise<{ stdout: string; stderr: string; failed: boolean }> {
  const { stdout, stderr, exitCode } = await runCommandLine(['compare', ...words], {
    workingFolder: folder,
    columns: 100,
  });
  return { stdout, stderr: stderr.replace(/\s+/g, ' ').trim(), failed: exitCode === 2 };
}

async function primaries(...words: string[]): Promise<Comparison[]> {
  const { stdout } = await compare(...words, '--json');
  return (JSON.parse(stdout) as Comparison[]).filter(({ primary }) => primary);
}

describe('pgduet compare of one result', () => {
  it('compares every variant with the baseline, by blocks', async () => {
    await save('a', await sampleResult({ variants: { one: 1, two: 1.3, three: 0.8 }, blocks: 8 }));
    await symlink('a', path.join(folder, 'latest'));
    expect(await primaries('a', 'latest')).toMatchObject([
      { baseline: { variant: 'one', n: 8 }, candidate: { variant: 'two' }, verdict: 'better' },
      { baseline: { variant: 'one', n: 8 }, candidate: { variant: 'three' }, verdict: 'worse' },
    ]);
  });

  it('compares the variants that are named', async () => {
    await save('a', await sampleResult({ variants: { one: 1, two: 1.3, three: 0.8 }, blocks: 8 }));
    expect(await primaries('a#three', 'a/result.json#two')).toMatchObject([
      { baseline: { variant: 'three' }, candidate: { variant: 'two' }, verdict: 'better' },
    ]);
  });

  it('prints a table, an answer and the method', async () => {
    await save('a', await sampleResult());
    const { stdout, stderr, failed } = await compare('a', 'a');
    expect(stdout).toMatch(/^ *metric/m);
    expect(stdout).toContain('with-log-volume is 31 % faster than without-log-volume.');
    expect(stdout).toContain('Method: paired by block: Hodges-Lehmann estimate on log-ratios');
    expect(failed).toBe(false);
    expect(stderr).toBe('');
  });

  it('withholds the verdict where a check fails, and says which', async () => {
    const result = await sampleResult();
    const variants = result.variants.map((variant, index) => ({ ...variant, serverVersion: `16.${14 + index}` }));
    await save('a', { ...result, variants });
    const { stdout } = await compare('a', 'a');
    expect(stdout).toContain('No verdict: with-log-volume cannot be judged against without-log-volume');
    expect(stdout).toMatch(/server version: the server’s version is 16\.14/);
    expect(await primaries('a', 'a')).toMatchObject([{ verdict: null, withheld: [expect.any(String)] }]);
  });

  it('says which blocks do not count', async () => {
    await save('a', await sampleResult({ blocks: 7, failedTrial: { block: 3, variant: 'with-log-volume' } }));
    const { stdout, stderr } = await compare('a', 'a', '--json');
    expect(stderr).toContain('Block 3 does not count');
    expect((JSON.parse(stdout) as Comparison[])[0]?.baseline.n).toBe(6);
  });

  it('takes metric, threshold and level from the command line before the experiment’s', async () => {
    await save('a', await sampleResult({ blocks: 8 }));
    const [declared] = await primaries('a', 'a', '--metric', 'latency.p99', '--threshold', '0.5', '--level', '0.99');
    expect(declared).toMatchObject({ metric: 'latency.p99', verdict: 'equivalent', interval: { level: 0.9921875 } });
  });

  it.each([
    [['a', 'a#withlogvolume'], 'a has no variant withlogvolume. Did you mean with-log-volume?'],
    [['a#with-log-volume', 'a#with-log-volume'], 'with-log-volume would be compared with itself'],
    [['a', 'b'], 'b does not exist. Name a folder that holds result.json'],
    [['a', 's3://bucket'], 's3://bucket names no folder in a bucket'],
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

  it('compares namesakes, and gives no verdict where one run came after the other', async () => {
    await save('a', earlier);
    await save('b', later);
    expect(await primaries('a', 'b')).toMatchObject([
      {
        baseline: { variant: 'a#without-log-volume', n: 8 },
        candidate: { variant: 'b#without-log-volume', n: 8 },
        interval: null,
        verdict: 'descriptive',
      },
    ]);
    expect((await compare('a', 'b')).stderr).toContain('drift cannot be told from an effect');
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

describe('pgduet compare of pgbench outputs', () => {
  const slow = [100, 101, 99, 102, 98, 100.5];
  const fast = [120, 121, 119, 122, 118, 120.5];

  it('describes one run a side', async () => {
    await save('without.log', pgbenchOutput({ tps: 6984, latencyMs: 8.8 }));
    await save('with.log', pgbenchOutput({ tps: 13397, latencyMs: 4.5 }));
    const [tps] = await primaries('without.log', 'with.log');
    expect(tps).toMatchObject({ baseline: { variant: 'without.log', median: 6984 }, verdict: 'descriptive' });
    expect(tps?.speedup).toBeCloseTo(0.9182, 4);
    const { stdout } = await compare('without.log', 'with.log');
    expect(stdout).toContain('Descriptive: one run a side, nothing is claimed.');
    expect(stdout).toContain('+91.8 %');
    expect(stdout).toContain('+95.6 %');
  });

  it('infers from six a side, and says what that assumes', async () => {
    const [a, b] = [await saveOutputs('a', slow), await saveOutputs('b', fast)];
    expect(await primaries(a, b)).toMatchObject([{ baseline: { variant: 'baseline', n: 6 }, verdict: 'better' }]);
    expect((await compare(a, b)).stderr).toContain('These runs belong to no blocks');
  });

  it('takes runs as blocks where the user says so', async () => {
    const [a, b] = [await saveOutputs('a', slow), await saveOutputs('b', fast)];
    const [tps] = await primaries(a, b, '--paired');
    expect(tps?.method).toContain('paired by block');
    expect(tps?.interval?.level).toBe(0.96875);
    expect((await compare('a1.log', b, '--paired')).stderr).toContain('a1.log has 1 runs and candidate 6');
  });

  it('names what differs besides', async () => {
    await save('a.log', pgbenchOutput({ tps: 100, scale: 10, clients: 8 }));
    await save('b.log', pgbenchOutput({ tps: 100, scale: 20, clients: 16 }));
    const { stderr } = await compare('a.log', 'b.log');
    expect(stderr).toContain('Undeclared difference: the scale is 10 in a.log, 20 in b.log.');
    expect(stderr).toContain('the number of clients is 8 in a.log, 16 in b.log.');
  });

  it('refuses a run that did not end as it should, naming the file', async () => {
    await save('a.log', pgbenchOutput({ tps: 100 }));
    await save('b.log', pgbenchOutput({ tps: 100, processed: 7000 }));
    const { stderr, failed } = await compare('a.log', 'b.log');
    expect(stderr).toContain('b.log holds a run that is no measurement');
    expect(failed).toBe(true);
  });

  it('compares them with a variant of a result too', async () => {
    await save('a', await sampleResult());
    await save('b.log', pgbenchOutput({ tps: 2000 }));
    expect(await primaries('a#with-log-volume', 'b.log')).toMatchObject([
      {
        baseline: { variant: 'a#with-log-volume', n: 6 },
        candidate: { variant: 'b.log', n: 1 },
        verdict: 'descriptive',
      },
    ]);
    expect((await compare('a', 'b.log')).stderr).toContain('say which, as a#VARIANT');
  });
});
