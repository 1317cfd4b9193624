import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { readOutput } from '../../../runner/workloads/read-output.ts';
import { percentileOf } from '../../../runner/workloads/sysbench/output/histogram.ts';
import { parseOutput, seriesOf } from '../../../runner/workloads/sysbench/output/parse-output.ts';

const textOf = (name: string): string =>
  readFileSync(path.resolve(import.meta.dirname, '../../fixtures/sysbench', `${name}.txt`), 'utf8');
const whole = textOf('read-write');

const readWrite = {
  ...{ tool: 'sysbench', clientVersion: 'sysbench 1.0.20', clients: 4, transactions: 3746, failedTransactions: 0 },
  ...{
    retries: 12,
    durationSeconds: 3.0107,
    tps: 1243.98,
    latencyAverageSeconds: 0.00321,
    complete: true,
    problems: [],
  },
};

describe('a run', () => {
  it('has the totals that sysbench prints, and percentiles of its histogram', () => {
    expect(parseOutput(whole)).toMatchObject([
      {
        ...readWrite,
        measures: {
          ...{ qps: 24951.35, 'latency.p50': 0.00281, 'latency.p90': 0.005183, 'latency.p95': 0.00655 },
          ...{ 'latency.p99': 0.011242, 'latency.max': 0.03966 },
        },
      },
    ]);
  });

  it('has the one percentile of its summary where there is no histogram', () => {
    const [run] = parseOutput(textOf('plain'));
    expect(run).toMatchObject({ complete: true, clients: 4 });
    expect(Object.keys(run?.measures ?? {})).toEqual(['qps', 'latency.p95', 'latency.max']);
  });

  it('with a rate is read as well', () => {
    expect(parseOutput(textOf('rate'))).toMatchObject([
      { transactions: 1437, tps: 473.66, retries: 7, complete: true },
    ]);
  });

  it('of version 1.1, which names the length otherwise, is read', () => {
    const newer = whole
      .replace('General statistics:', 'Throughput:\n    events/s (eps):                      1243.9800')
      .replace('total time:                          3.0107s', 'time elapsed:                        3.0107s');
    expect(parseOutput(newer)).toMatchObject([readWrite]);
  });

  it('is found again after another, and where only its summary was kept', () => {
    const summary = whole.slice(whole.indexOf('SQL statistics:'));
    const runs = parseOutput(`${whole}${textOf('plain')}${summary}${summary}`);
    expect(runs.map(({ complete, clients }) => [complete, clients])).toEqual([
      [true, 4],
      [true, 4],
      [true, null],
      [true, null],
    ]);
  });

  it('is read with a prefix before each line', () => {
    expect(parseOutput(whole.replaceAll(/^/gm, 'sysbench-1  | '))).toMatchObject([readWrite]);
  });
});

test('each second has its throughput, statements, retries and percentile', () => {
  const of = (second: number) => seriesOf(whole.split('\n')).filter((one) => one.second === second);
  expect(of(0)).toEqual([
    { second: 0, name: 'tps', value: 1307 },
    { second: 0, name: 'qps', value: 26234.81 },
    { second: 0, name: 'transactions.retries', value: 2.99 },
    { second: 0, name: 'latency.p95', value: 0.00599 },
  ]);
  expect(of(2)).toHaveLength(4);
  expect(of(3)).toEqual([]);
});

const nonEmpty: unknown = expect.arrayContaining([expect.any(String)]);

describe('a run is not complete', () => {
  it.each([
    ['if its queue ran over', textOf('queue-full')],
    ['if it could not connect', textOf('wrong-password')],
    ['if the server ended a connection', textOf('connection-lost')],
    ['if clients connected again', whole.replace(/(reconnects: +)0/, '$12')],
    ['if nothing ended', whole.replace(/(transactions: +)\d+ +\([\d.]+/, '$10 (0.00')],
    ['if events are missing', whole.replace('events:              3746', 'events:              3745')],
    ['if throughput and length contradict each other', whole.replace('(1243.98 per', '(1643.98 per')],
    ['if the histogram lacks a class', whole.replace(/^ +3\.020 .*\n/m, '')],
    ['if the histogram has another percentile', whole.replace(/(95th percentile: +)6\.55/, '$16.67')],
    ['if a client failed', whole.replace('Latency histogram', 'FATAL: PQexec() failed: 7 disk\nLatency histogram')],
  ])('%s', (_, text) => {
    expect(parseOutput(text)).toMatchObject([{ complete: false, problems: nonEmpty }]);
  });

  it('wherever its output was cut off before its latencies', () => {
    const end = whole.indexOf('         max:');
    fc.assert(
      fc.property(fc.integer({ min: whole.indexOf('Number of threads'), max: whole.indexOf('avg:') }), (at) => {
        expect(parseOutput(whole.slice(0, at))).toMatchObject([{ complete: false }]);
      }),
    );
    expect(parseOutput(whole.slice(0, end))).toMatchObject([{ complete: true }]);
  });
});

it.each([
  ['cpu', 'sysbench’s test of the CPU'],
  ['fileio', 'sysbench’s test of files'],
  ['memory', 'sysbench’s test of memory'],
  ['prepare-failed', 'what sysbench prints while it fills its tables'],
])('%s is refused by what it is', async (name, what) => {
  await expect(readOutput(textOf(name), name, AbortSignal.timeout(10_000))).rejects.toThrow(
    `${name}: this is ${what}.`,
  );
});

it.each(['threads', 'mutex'])('%s is refused, since it has no statements', async (name) => {
  await expect(readOutput(textOf(name), name, AbortSignal.timeout(10_000))).rejects.toThrow(
    'this contains no run of a sysbench database test',
  );
});

describe('a percentile of a histogram', () => {
  const classes = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 99_999 }), fc.integer({ min: 1, max: 50 })), {
    selector: ([milliseconds]) => milliseconds,
    minLength: 1,
    maxLength: 40,
  });
  const histogramOf = (drawn: [number, number][]) =>
    drawn.toSorted(([a], [b]) => a - b).map(([milliseconds, transactions]) => ({ milliseconds, transactions }));

  it('is the latency of the transaction at its place', () => {
    fc.assert(
      fc.property(classes, fc.integer({ min: 1, max: 100 }), (drawn, percentile) => {
        const histogram = histogramOf(drawn);
        const each = histogram.flatMap(({ milliseconds, transactions }) =>
          Array<number>(transactions).fill(milliseconds),
        );
        const place = Math.max(1, Math.floor((each.length * percentile) / 100 + 0.5));
        expect(percentileOf(histogram, percentile)).toBe((each[place - 1] ?? NaN) / 1000);
      }),
    );
  });

  it('is not known of the last class, which has every longer latency, or without transactions', () => {
    expect(percentileOf([{ milliseconds: 100_000, transactions: 1 }], 50)).toBeNull();
    expect(percentileOf([], 50)).toBeNull();
  });
});
