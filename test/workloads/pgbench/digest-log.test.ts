import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { UserError } from '../../../runner/contract/errors.ts';
import { digestLogs } from '../../../runner/workloads/pgbench/log/digest-log.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pgduet-digest-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
/** Writes a log with the given text; gzipped if the suffix says so. */
function log(content: string | Buffer, suffix = ''): string {
  const file = path.join(folder, `pgbench_log.${(files += 1)}${suffix}`);
  writeFileSync(file, content);
  return file;
}

const lines = (...rows: string[]): string => rows.map((row) => `${row}\n`).join('');
/** The digest of one log with these lines. */
const digest = (rows: readonly string[], options?: Parameters<typeof digestLogs>[1]) =>
  digestLogs([log(lines(...rows))], options);
const many = Array.from({ length: 60_000 }, (_, index) => `7 ${index + 1} ${index} 0 1700000000 999999`);

/** percentile_disc by its definition: sort, and take the first value whose cumulative share reaches the percentile's. */
function naivePercentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted.find((_, index) => (index + 1) / sorted.length >= share) ?? null;
}

describe('digestLogs of transactions', () => {
  it('gives the same percentiles as sorting, whatever the latencies', async () => {
    // Also around the limit from which on latencies are kept instead of counted.
    const micros = fc.oneof(fc.nat(20), fc.nat(100_000), fc.integer({ min: 4_194_300, max: 4_194_310 }), fc.nat(9e9));
    await fc.assert(
      fc.asyncProperty(fc.array(micros, { minLength: 1, maxLength: 300 }), async (latencies) => {
        const rows = latencies.map((latency, index) => `0 ${index + 1} ${latency} 0 1700000000 5`);
        const { latencySeconds, transactions } = await digest(rows);
        expect(transactions).toBe(latencies.length);
        const { mean, ...others } = latencySeconds;
        const shares = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99, p999: 0.999, max: 1 };
        for (const [name, share] of Object.entries(shares)) {
          const seconds = others[name as keyof typeof shares] ?? NaN;
          expect(Math.round(seconds * 1e6), name).toBe(naivePercentile(latencies, share));
        }
        expect(mean).toBeCloseTo(latencies.reduce((sum, latency) => sum + latency, 0) / latencies.length / 1e6, 9);
      }),
      { numRuns: 60 },
    );
  });

  it('does not depend on where the chunks of a file end, nor on the line ends of Windows', async () => {
    const { latencySeconds, transactions } = await digest(many);
    expect(transactions).toBe(60_000);
    expect(latencySeconds).toMatchObject({ p50: 0.029999, p99: 0.059399, max: 0.059999 });
    expect(await digestLogs([log(lines(...many).replaceAll('\n', '\r\n'))])).toEqual(await digest(many));
  });

  it('sums up the seconds of all threads in order of time, and shows those in which nothing ended', async () => {
    const one = log(lines('0 1 1000 0 1700000003 1', '0 2 3000 0 1700000006 1'));
    const two = log(lines('1 1 2000 0 1700000002 1', '1 2 5000 0 1700000003 1'));
    expect((await digestLogs([one, two])).perSecond).toEqual([
      { second: 1_700_000_002, transactions: 1, latencyMeanSeconds: 0.002 },
      { second: 1_700_000_003, transactions: 2, latencyMeanSeconds: 0.003 },
      { second: 1_700_000_004, transactions: 0, latencyMeanSeconds: null },
      { second: 1_700_000_005, transactions: 0, latencyMeanSeconds: null },
      { second: 1_700_000_006, transactions: 1, latencyMeanSeconds: 0.003 },
    ]);
  });

  it('has as many transactions in the classes of latencies as in all, in at most 125 steps', async () => {
    const rows = Array.from({ length: 3000 }, (_, index) => `0 ${index + 1} ${index * 37} 0 ${1700000000 + index} 5`);
    const { latencies = [], transactions } = await digest(rows, {
      startedAt: new Date(1_700_000_000_000),
    });
    expect(latencies.reduce((sum, one) => sum + one.transactions, 0)).toBe(transactions);
    expect(new Set(latencies.map(({ second }) => second)).size).toBeLessThanOrEqual(125);
  });

  it('reads gzipped logs', async () => {
    const { transactions } = await digestLogs([log(gzipSync(lines('0 1 1000 0 1700000003 1')), '.gz')]);
    expect(transactions).toBe(1);
  });

  it('tells the scripts apart: what became of their transactions, and how long they took', async () => {
    const log1 = log(lines('0 1 1000 0 1700000000 1', '0 2 9000 3 1700000000 2', '0 3 skipped 3 1700000000 3'));
    const log2 = log(lines('1 1 5000000 3 1700000005 1', '1 2 5001 0 1700000005 2', '1 3 failed 0 1700000005 3'));
    const { scripts, latencySeconds } = await digestLogs([log1, log2], { latencyLimitMicros: 5001 });
    expect(scripts).toMatchObject([
      {
        script: 0,
        transactions: 2,
        failedTransactions: 1,
        skippedTransactions: 0,
        lateTransactions: 0,
        latencySeconds: { mean: 0.0030005, p50: 0.001, p99: 0.005001, max: 0.005001 },
      },
      {
        script: 3,
        transactions: 2,
        failedTransactions: 0,
        skippedTransactions: 1,
        lateTransactions: 2,
        latencySeconds: { p50: 0.009, p99: 5, max: 5 },
      },
    ]);
    expect(latencySeconds).toMatchObject({ p50: 0.005001, p90: 5, max: 5 });
  });

  it('gives the same percentiles of all scripts together as of one, whatever the latencies', async () => {
    const micros = fc.oneof(fc.nat(100_000), fc.integer({ min: 4_194_300, max: 4_194_310 }), fc.nat(9e9));
    const rows = fc.array(fc.tuple(micros, fc.nat(4)), { minLength: 1, maxLength: 100 });
    await fc.assert(
      fc.asyncProperty(rows, async (drawn) => {
        const of = async (one: boolean) => {
          const text = drawn.map(
            ([micro, script], index) => `0 ${index + 1} ${micro} ${one ? 0 : script} 1700000000 5`,
          );
          return (await digest(text)).latencySeconds;
        };
        const [together, apart] = [await of(true), await of(false)];
        expect(apart).toEqual({ ...together, mean: expect.closeTo(together.mean ?? NaN, 9) as number });
      }),
      { numRuns: 30 },
    );
  });

  it('does not count a last line that is cut off, and says so', async () => {
    const file = log('0 1 1000 0 1700000000 1\n0 2 17 0 1700000000 2');
    const { transactions, problems } = await digestLogs([file]);
    expect(transactions).toBe(1);
    expect(problems).toEqual([`${file}: line 2 is truncated and skipped: "0 2 17 0 1700000000 2"`]);
  });

  it('says which thread logged nothing', async () => {
    const empty = log('');
    const { problems } = await digestLogs([log(lines('0 1 1000 0 1700000000 1')), empty]);
    expect(problems).toEqual([`${empty} is empty`]);
  });
});

describe('a log has', () => {
  const [one, failed] = ['0 1 1000 0 1700000000 1', '0 1 failed 0 1700000000 1'];
  const seven = ['0 1 1000 0 1700000000 1 7', '0 2 1000 0 1700000000 2 9'];
  const retries = ['0 1 1000 0 1700000000 1 0', '0 2 8000 0 1700000000 2 2'];
  const retried = { transactions: 1, latencyMeanSeconds: 0.008 };
  const sample = ['0 3 1000 0 1700000000 1', '0 4 failed 0 1700000000 300001'];
  const turns = [
    // Nothing is known of when the first one began.
    ...['0 1 failed 0 1700000000 100000', '0 2 1000 0 1700000000 200000', '1 1 1000 0 1700000000 250000'],
    ...['0 3 failed 0 1700000000 500000', '0 4 failed 0 1700000001 400000'],
    // One is missing in between.
    '1 3 failed 0 1700000009 0',
  ];
  const row = (client: number, number: number): string => `${client} ${number} 1000 0 1700000000 ${number}`;
  const second = '1700000000 2 3000 5000000 1000 2000';
  const lost = (problem: RegExp) => ({ exact: false, problems: [expect.stringMatching(problem)] });
  const near = (seconds: number): unknown => expect.closeTo(seconds, 9);
  type Options = Parameters<typeof digestLogs>[1];
  const cases: [what: string, rows: string[], digest: object, options?: Options][] = [
    [
      'failed and skipped transactions apart from the latencies',
      [
        ...['0 1 1000 0 1700000000 1 20 0', '0 2 skipped 0 1700000000 2 900000 0', '0 3 failed 0 1700000000 3 20 1'],
        ...['0 4 serialization 0 1700000000 4 20 2', '0 5 deadlock 0 1700000000 5 20 3'],
      ],
      {
        ...{ transactions: 1, failedTransactions: 3, skippedTransactions: 1 },
        ...{ latencySeconds: { max: 0.001 }, lagSeconds: { max: 0.00002 } },
      },
    ],
    [
      'latencies of each second by class',
      ['0 1 1100 0 1700000000 1', '0 2 1200 0 1700000000 2', '0 3 90000 0 1700000001 1'],
      {
        latencies: [
          { second: 0, seconds: 1, fromMicros: 1024, transactions: 2 },
          { second: 1, seconds: 1, fromMicros: 65536, transactions: 1 },
        ],
      },
      { startedAt: new Date(1_700_000_000_000) },
    ],
    ['the time of failures since the one before', turns, { failedTurnSeconds: near(0.6) }],
    ['no time of failures without any', [one], { failedTurnSeconds: null }],
    ['the time of failures of a whole log', sample, { failedTurnSeconds: near(0.3) }],
    ['none of a sample, which misses some', sample, { failedTurnSeconds: null }, { samplingRate: 0.2 }],
    [
      'no latencies of failures alone',
      [failed],
      { latencySeconds: { mean: null, p50: null, max: null }, perSecond: [] },
    ],
    ['a sample that is not exact', sample, { exact: false, problems: [] }, { samplingRate: 0.2 }],
    ['a sample that nobody declares', sample, lost(/missing/)],
    ['lost a line', [row(0, 1), row(1, 1), row(0, 3)], lost(/^1 transactions are missing before later ones/)],
    ['lost its start', [row(0, 2), row(1, 4)], lost(/^4 transactions are missing before later ones/)],
    ['lost its order', [row(0, 1), row(0, 3), row(0, 2)], { exact: false, problems: { length: 2 } }],
    ['a 7th column of lags', seven, { lagSeconds: { mean: 0.000008, p50: 0.000007, max: 0.000009 } }, { hasLag: true }],
    ['a 7th column that may be of either', seven, { lagSeconds: undefined, problems: [expect.stringMatching(/7th/)] }],
    ['lags beside skipped ones', [...seven, '0 3 skipped 0 1700000000 3 8'], { lagSeconds: { p50: 0.000007 } }],
    ['lags, too great for retries', [...seven, '0 3 1000 0 1700000000 3 10000'], { lagSeconds: { max: 0.01 } }],
    ['retries, as declared', retries, { retried, lagSeconds: undefined, problems: [] }, { hasLag: false }],
    ['no retries, as declared', retries, { retried: undefined }, { hasLag: true }],
    ['retries in column 8', ['0 1 1000 0 1700000000 1 77 0', '0 2 8000 0 1700000000 2 0 1'], { retried }],
    ['longer intervals', [second, '1700000005 1 4000 16000000 4000 4000'], { perSecond: [], problems: { length: 1 } }],
    [
      'intervals that are missing',
      [0, 1, 3].map((at) => `${1_700_000_000 + at} 1 4000 16000000 4000 4000`),
      { problems: [expect.stringMatching(/^1 intervals do not follow the one before/)] },
    ],
    [
      'skipped transactions within the number, until 14',
      ['1700000000 3 3000 5000000 1000 2000 60 1800 20 40 1'],
      {
        ...{ transactions: 2, skippedTransactions: 1, latencySeconds: { mean: 0.0015 } },
        lagSeconds: { mean: 0.00003, max: 0.00004 },
      },
    ],
    [
      'failures, from 15 on',
      [`${second} 0 0 0 0 5 6 7 8 9`],
      { transactions: 2, skippedTransactions: 5, failedTransactions: 17, lagSeconds: undefined },
    ],
    ['no failures, or no --failures-detailed', [`${second} 0 0 0 0 0 29 53 0 0`], { failedTransactions: null }],
  ];

  it.each(cases)('%s', async (_, rows, expected, options) => {
    const found = await digest(rows, options);
    expect({ lagSeconds: undefined, retried: undefined, ...found }).toMatchObject(expected);
  });

  it('is seen where logs of two runs are taken for one', async () => {
    const [one, two] = [log(lines(row(0, 1), row(0, 2))), log(lines(row(0, 1)))];
    const { exact, problems } = await digestLogs([one, two]);
    expect(exact).toBe(false);
    expect(problems?.join()).toMatch(/logs are from several runs/);
  });

  it('is not called exact where the last line or a whole file is missing', async () => {
    expect((await digestLogs([log(`${lines(row(0, 1))}0 2 10`)])).exact).toBe(false);
    expect((await digestLogs([log(lines(row(0, 1))), log('')])).exact).toBe(false);
  });
});

describe('digestLogs of aggregates', () => {
  it('gives mean, maximum and the series, and no percentiles', async () => {
    const one = log(lines('1700000000 2 3000 5000000 1000 2000', '1700000001 1 4000 16000000 4000 4000'));
    const two = log(lines('1700000000 1 9000 81000000 9000 9000', '1700000001 0 0 0 0 0'));
    expect(await digestLogs([one, two])).toEqual({
      transactions: 4,
      failedTransactions: 0,
      skippedTransactions: 0,
      latencySeconds: { mean: 0.004, p50: null, p90: null, p95: null, p99: null, p999: null, max: 0.009 },
      perSecond: [
        { second: 1_700_000_000, transactions: 3, latencyMeanSeconds: 0.004 },
        { second: 1_700_000_001, transactions: 1, latencyMeanSeconds: 0.004 },
      ],
      exact: false,
      problems: [],
    });
  });
});

describe('what is no log of pgbench', () => {
  it.each([
    ['words', 'tps = 12', 1],
    ['a later line of words', '0 1 1000 0 1700000000 1\ntps = 12', 2],
    ['a line with fewer fields', '0 1 1000 0 1700000000 1 5\n0 2 1000 0 1700000000 1', 2],
    ['an unknown word', '0 1 late 0 1700000000 1', 1],
    ['a word in a wrong place', '0 1 1000 0 1700000000 1\n0 failed 1000 0 1700000000 1', 2],
    ['an empty field', '0 1 1000  1700000000 1', 1],
    ['a latency beyond Unix time', `0 1 ${'9'.repeat(30)} 0 1700000000 1`, 1],
    ['a latency of many digits', `0 1 ${'9'.repeat(150)} 0 1700000000 1`, 1],
    ['a year without a name', '0 1 1000 0 99999999999 1', 1],
    ['more scripts than pgbench takes', '0 1 1000 128 1700000000 1', 1],
    ['a longest time of no transactions', '1700000000 0 0 0 0 3', 1],
    ['a sum below the minimum', '1700000000 2 1500 5000000 1000 2000', 1],
    ['a sum above the maximum', '1700000000 2 9000 5000000 1000 2000', 1],
    ['squares that do not fit', '1700000000 2 3000 50 1000 2000', 1],
    ['more skipped than there were', '1700000000 3 3000 5000000 1000 2000 60 1800 20 40 4', 1],
    ['a negative latency', '0 1 -5 0 1700000000 1', 1],
    ['aggregates after transactions', '0 1 1000 0 1700000000 1\n1700000000 2 3000 5000000 1000 2000', 2],
  ])('is refused with its line: %s', async (_, text, line) => {
    const file = log(`${text}\n`);
    const error: unknown = await digestLogs([file]).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UserError);
    expect(String(error)).toContain(`${file}:${line} is "${text.split('\n')[line - 1] ?? ''}"; expected "`);
  });

  it.each([
    ['an empty file', () => [log('')], /is empty/],
    ['one line that is cut off', () => [log('0 1 1000')], /line 1/],
    ['no file', () => [], /no log was named/],
    [
      'a file that is not there',
      () => [path.join(folder, 'missing')],
      /missing cannot be read: it does not exist\. Pass complete pgbench/,
    ],
    ['a file that is not gzipped but says so', () => [log('0 1 1', '.gz')], /\.gz cannot be read: incorrect header/],
    [
      'a gzipped file that is cut off',
      () => [log(gzipSync('0 1 1000 0 1700000000 1\n'.repeat(99)).subarray(0, 40), '.gz')],
      /unexpected end of file/,
    ],
    [
      'a gzipped file with further bytes',
      () => [log(Buffer.concat([gzipSync('0 1 1000 0 1700000000 1\n'), Buffer.alloc(12)]), '.gz')],
      /has 12 bytes that are not gzipped/,
    ],
    ['a file without lines', () => [log(Buffer.alloc(1e6, 'x'))], /:1 is longer than any line/],
  ])('is refused: %s', async (_, make, message) => {
    const digesting = digestLogs(make());
    await expect(digesting).rejects.toThrow(UserError);
    await expect(digesting).rejects.toThrow(message);
  });
});

describe('a hostile log', () => {
  it('of few lines at distant seconds does not fill the memory', async () => {
    const rows = Array.from({ length: 2600 }, (_, index) => `0 ${index + 1} 1000 0 ${1_700_000_000 + index * 3600} 5`);
    const { transactions, perSecond } = await digest(rows);
    expect(transactions).toBe(2600);
    expect(perSecond.length).toBeLessThan(2600 + 24 * 3600);
  });

  it('can be interrupted', async () => {
    const file = log(lines(...Array.from({ length: 50_000 }, () => '0 1 1000 0 1700000000 5')));
    const reason = new Error('interrupted by SIGINT');
    await expect(digestLogs([file], { signal: AbortSignal.abort(reason) })).rejects.toThrow(reason);
  });
});
