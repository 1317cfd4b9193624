import { describe, expect, it } from 'vitest';
import type { Comparison } from '../../runner/contract/comparison.ts';
import { workingFolder } from '../helpers/samples/compared-sources.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

const { save, compare } = workingFolder();

/** One client did 6000 transactions in 60 s, with -L. */
const limited = (limit: string, late: number): string => `pgbench (15.18 (Debian 15.18-0+deb12u1))
transaction type: <builtin: TPC-B (sort of)>
scaling factor: 1
query mode: simple
number of clients: 1
number of threads: 1
maximum number of tries: 1
duration: 60 s
number of transactions actually processed: 6000
number of failed transactions: 0 (0.000%)
number of transactions above the ${limit} ms latency limit: ${late}/6000 (${((100 * late) / 6000).toFixed(3)}%)
latency average = 10.000 ms
latency stddev = 1.000 ms
initial connection time = 5.000 ms
tps = 100.000000 (without initial connection time)
`;

const byLimit = ['--metric', 'latency.withinLimit'];

const found = async (baseline: string, candidate: string, ...words: string[]): Promise<Comparison[]> =>
  JSON.parse((await compare(baseline, candidate, ...words, '--json')).stdout) as Comparison[];

describe('pgduet compare of runs with a latency limit', () => {
  it('compares the share within the limit only if the limit is the same', async () => {
    await save('a.log', limited('5.0', 600));
    await save('b.log', limited('5.0', 6));
    const share = (await found('a.log', 'b.log', ...byLimit)).find(({ primary }) => primary);
    expect(share?.change).toBeCloseTo(0.099, 9);
    expect((await compare('a.log', 'b.log')).text).not.toContain('What differs');
  });

  it.each([[[]], [['--paired']]])(
    'has no value of that share across different limits, and names them: %j',
    async (how) => {
      await save('a.log', limited('5.0', 600));
      await save('b.log', limited('50.0', 6));
      const words = 'the latency limit in ms is 5 in a.log, 50 in b.log';
      const share = (await found('a.log', 'b.log', ...byLimit, ...how)).find(({ primary }) => primary);
      expect(share).toMatchObject({
        metric: 'latency.withinLimit',
        baseline: { value: null, n: 0 },
        candidate: { value: null, n: 0 },
        change: null,
        withheld: [{ id: 'incomparable-sides', message: words }],
        checks: [{ id: 'workload', name: 'workload', state: 'warn', finding: words }],
        pairs: [],
      });
      const others = await found('a.log', 'b.log', ...how);
      expect(others.map(({ metric }) => metric)).not.toContain('latency.withinLimit');
      const tps = others.find(({ primary }) => primary);
      expect(tps).toMatchObject({ metric: 'tps', change: 0 });
      expect(tps?.checks).toContainEqual({ id: 'workload', name: 'workload', state: 'warn', finding: words });
      const { text, stderr } = await compare('a.log', 'b.log', ...how);
      expect(text).toMatch(/^Differences a\.log b\.log ─+ the latency limit in ms 5 50 /);
      expect(stderr).toContain(`Undeclared difference: ${words}.`);
    },
  );

  it('takes no runs of one side together that have different limits', async () => {
    await save('a.log', limited('5.0', 600));
    await save('b.log', limited('50.0', 6));
    const share = (await found('a.log,b.log', 'a.log,b.log', ...byLimit)).find(({ primary }) => primary);
    expect(share).toMatchObject({ baseline: { value: null, n: 0 }, candidate: { value: null, n: 0 }, change: null });
  });

  it('knows the exact limit of results', async () => {
    for (const [name, latencyLimitMs] of Object.entries({ a: 5.01, b: 5.02, c: 5.01 })) {
      const result = await sampleResult();
      Object.assign(result.experiment.definition.workload, { latencyLimitMs });
      for (const { measures } of result.trials) measures['latency.withinLimit'] = 0.9;
      await save(name, result);
    }
    const all = await found('a#with-log-volume', 'b#with-log-volume', ...byLimit);
    expect(all.find(({ primary }) => primary)).toMatchObject({
      change: null,
      withheld: [
        {
          id: 'incomparable-sides',
          message: 'the latency limit in ms is 5.01 in a#with-log-volume, 5.02 in b#with-log-volume',
        },
      ],
    });
    const same = await found('a#with-log-volume', 'c#with-log-volume', ...byLimit);
    expect(same.find(({ primary }) => primary)?.change).toBe(0);
  });
});
