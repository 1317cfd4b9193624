import { truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBuckets } from '../../runner/rds/bucket/bucket-run.ts';
import { readSource } from '../../runner/analysis/sources/source.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { workingFolder } from '../helpers/samples/compared-sources.ts';
import { pgbenchOutput } from '../helpers/samples/pgbench-output.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

const { save, saveOutputs, compare, primaries } = workingFolder();

/** Output of pgbench 16 in which 4 clients did 4000 transactions in 10 s. */
function pgbench16Output({
  mode = 'simple',
  tps,
  lines = [],
}: {
  mode?: string;
  tps: string;
  lines?: string[];
}): string {
  return [
    'pgbench (16.2)',
    'transaction type: <builtin: TPC-B (sort of)>',
    'scaling factor: 10',
    `query mode: ${mode}`,
    'number of clients: 4',
    'number of threads: 1',
    'maximum number of tries: 1',
    'duration: 10 s',
    'number of transactions actually processed: 4000',
    'number of failed transactions: 0 (0.000%)',
    'latency average = 9.990 ms',
    ...lines,
    'initial connection time = 10.000 ms',
    `tps = ${tps} (without initial connection time)`,
    '',
  ].join('\n');
}

describe('pgduet compare of pgbench outputs', () => {
  const slow = [100, 101, 99, 102, 98, 100.5];
  const fast = [120, 121, 119, 122, 118, 120.5];

  it('describes one run a side', async () => {
    await save('without.log', pgbenchOutput({ tps: 6984, latencyMs: 8.8, clients: 64 }));
    await save('with.log', pgbenchOutput({ tps: 13397, latencyMs: 4.5, clients: 64 }));
    const [tps] = await primaries('without.log', 'with.log');
    expect(tps).toMatchObject({ baseline: { variant: 'without.log', median: 6984 }, verdict: 'descriptive' });
    expect(tps?.speedup).toBeCloseTo(0.9182, 4);
    const { text } = await compare('without.log', 'with.log');
    expect(text).toContain('+91.8%');
    // A speed-up stands only beside the metric that decides.
    expect(text).not.toContain('+95.6%');
  });

  it('describes six a side too: whoever measured AAABBB would get a verdict on the time of day', async () => {
    const [a, b] = [await saveOutputs('a', slow), await saveOutputs('b', fast)];
    expect(await primaries(a, b)).toMatchObject([
      {
        baseline: { variant: 'baseline', n: 6 },
        verdict: 'descriptive',
        interval: null,
        scope: null,
        withheld: [{ id: 'separate-runs' }],
      },
    ]);
    const { text, stderr } = await compare(a, b);
    // That would only hide the order in which they were measured.
    expect(`${text} ${stderr}`).not.toContain('--paired');
  });

  it('takes runs as pairs where the user says so, and gives no verdict all the same', async () => {
    const [a, b] = [await saveOutputs('a', slow), await saveOutputs('b', fast)];
    const [tps] = await primaries(a, b, '--paired');
    expect(tps).toMatchObject({ interval: null, verdict: 'descriptive', withheld: [{ id: 'separate-runs' }] });
    expect(tps?.pairs).toHaveLength(6);
    expect(tps?.method).toContain('paired by run');
    expect((await compare('a1.log', b, '--paired')).stderr).toContain('a1.log has 1 run, but candidate has 6');
  });

  it('describes three runs in a row of either of two published instances, without a verdict', async () => {
    // One RDS instance with PostgreSQL 18, measured three times in a row, as published in March 2026; and another one.
    const a = await saveOutputs('first', [8133, 7152, 7288]);
    const b = await saveOutputs('second', [8050, 7400, 7310]);
    const { text, stderr, failed } = await compare(a, b);
    expect({ stderr, failed }).toEqual({ stderr: '', failed: false });
    expect(text).toMatch(/TPS 7,288 7,400 \+1\.5%/);
    const [tps] = await primaries(a, b);
    expect(tps).toMatchObject({ baseline: { n: 3 }, candidate: { n: 3 }, interval: null, verdict: 'descriptive' });
  });

  it('names what differs besides', async () => {
    await save('a.log', pgbenchOutput({ tps: 100, scale: 10, clients: 8 }));
    await save('b.log', pgbenchOutput({ tps: 100, scale: 20, clients: 16 }));
    const { stderr } = await compare('a.log', 'b.log', '--across', 'scale,clients');
    expect(stderr).toContain('Undeclared difference: the scale is 10 in a.log, 20 in b.log.');
    expect(stderr).toContain('the number of clients is 8 in a.log, 16 in b.log.');
  });

  it('names how else the same scripts were run: by prepared statements, at a given rate', async () => {
    await save('a.log', pgbench16Output({ tps: '400.400400' }));
    await save('prepared.log', pgbench16Output({ mode: 'prepared', tps: '400.400400' }));
    const lag = ['latency stddev = 1.000 ms', 'rate limit schedule lag: avg 0.100 (max 5.000) ms'];
    await save('rate.log', pgbench16Output({ lines: lag, tps: '400.400400' }));
    const printedFor = async (candidate: string): Promise<string> =>
      (await compare('a.log', candidate, '--across', 'queryMode,begins')).stderr;
    expect(await printedFor('a.log')).not.toContain('difference');
    expect(await printedFor('prepared.log')).toContain('the query mode is simple in a.log, prepared in prepared.log.');
    expect(await printedFor('rate.log')).toContain(
      'when a transaction begins is as soon as a client is free in a.log, at a given rate in rate.log.',
    );
  });

  describe('of which transactions failed', () => {
    const failingOutput = (failed: number, { latency = '2.912 ms (including failures)' } = {}): string =>
      pgbench16Output({ tps: '400.400400' })
        .replace(
          /failed transactions: .*/,
          `failed transactions: ${failed} (${((100 * failed) / (4000 + failed)).toFixed(3)}%)`,
        )
        .replace(/latency average = .*/, `latency average = ${latency}`);
    const latencyOf = (failed: number): string =>
      `${((1000 * 4 * 4000) / (4000 + failed) / 400.4004).toFixed(3)} ms (including failures)`;
    const failing = (failed: number): string => failingOutput(failed, { latency: latencyOf(failed) });
    it('withholds everything but the figures if the sides differ in their share', async () => {
      await save('ok.log', failing(174));
      await save('fail.log', failing(10_441));
      const [tps] = await primaries('ok.log', 'fail.log');
      expect(tps?.verdict).toBeNull();
      const { state, finding = '' } = tps?.checks.find(({ id }) => id === 'work') ?? {};
      expect([state, ...(finding.match(/[\d.]+%/g) ?? [])]).toEqual(['fail', '4.2%', '72%']);
      expect(tps?.withheld[0]).toMatchObject({ id: 'work', trial: null });
      expect((await compare('ok.log', 'fail.log')).text).toContain(finding);
    });

    it('warns if only one latency includes failures', async () => {
      const measured = ['latency stddev = 1.000 ms'];
      await save('ok.log', pgbench16Output({ tps: '400.400400', lines: measured }));
      await save('fail.log', failing(20));
      const [tps] = await primaries('ok.log', 'fail.log');
      const { state, finding } = tps?.checks.find(({ id }) => id === 'latency') ?? {};
      expect(state).toBe('warn');
      expect(tps?.verdict).toBe('descriptive');
      expect((await compare('ok.log', 'fail.log')).stderr).toContain(`${finding}.`);
    });

    it('says nothing if none did', async () => {
      await save('ok.log', pgbench16Output({ tps: '400.400400' }));
      expect((await compare('ok.log', 'ok.log')).stderr).toBe('');
    });
  });

  it('refuses a run that did not end as it should, naming the file', async () => {
    await save('a.log', pgbenchOutput({ tps: 100 }));
    await save('b.log', pgbenchOutput({ tps: 100, processed: 7000 }));
    const { stderr, failed } = await compare('a.log', 'b.log');
    expect(stderr).toContain('b.log contains an incomplete');
    expect(failed).toBe(true);
  });

  it('compares them with a variant of a result too', async () => {
    await save('a', await sampleResult());
    await save('b.log', pgbenchOutput({ tps: 2000 }));
    expect(await primaries('a#with-log-volume', 'b.log', '--across', 'scale,clients,scripts')).toMatchObject([
      {
        baseline: { variant: 'a#with-log-volume', n: 6 },
        candidate: { variant: 'b.log', n: 1 },
        verdict: 'descriptive',
      },
    ]);
    expect((await compare('a', 'b.log')).stderr).toContain('Name one of them: a#VARIANT');
  });
});

describe('an output that is compared', () => {
  it('is read no further after Ctrl-C', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'a.log'), pgbenchOutput({ tps: 6984, latencyMs: 8.8, clients: 64 }));
    const signal = AbortSignal.abort(new Error('interrupted'));
    await expect(readSource('a.log', { workingFolder: folder, openRemote: openBuckets, signal })).rejects.toThrow(
      'interrupted',
    );
  });

  it('has no more than 16 MiB', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'a.log'), '');
    truncateSync(path.join(folder, 'a.log'), 17 * 2 ** 20);
    const { signal } = new AbortController();
    const source = readSource('a.log', { workingFolder: folder, openRemote: openBuckets, signal });
    await expect(source).rejects.toThrow('a.log has 17 MiB; pgduet reads at most 16');
  });
});
