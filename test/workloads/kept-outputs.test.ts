import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolRun } from '../../runner/contract/tool-output.ts';
import { digestLogs } from '../../runner/workloads/pgbench/log/digest-log.ts';
import { readOutput } from '../../runner/workloads/read-output.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';

const kept = (name: string): string => path.resolve(import.meta.dirname, '../fixtures/kept', name);

function read(name: string): Promise<ToolRun[]> {
  return readOutput(readFileSync(kept(name), 'utf8'), name, new AbortController().signal);
}

const first = { transactions: 72_000, tps: 1200.480192, latencyAverageSeconds: 0.009996 };
const second = { transactions: 90_000, tps: 1500.60024 };
const third = { transactions: 54_000, tps: 900.360144 };
const whole = { complete: true, problems: [] };

describe('what somebody kept of pgbench is read run by run', () => {
  it('where one of three lacks its first line', async () => {
    expect(await read('notes.md')).toMatchObject([
      { ...first, ...whole },
      { ...second, ...whole },
      {
        ...third,
        complete: false,
        problems: ['lines that pgbench prints are missing: "transaction type"'],
        place: { run: 3, fromLine: 33, toLine: 43 },
      },
    ]);
  });

  it('where a document indents it', async () => {
    expect(await read('page.md')).toMatchObject([
      { ...first, ...whole, notes: ['taken off its lines: a margin of 4 characters'] },
      { ...second, ...whole },
    ]);
    expect(await read('aborted.md')).toMatchObject([
      { ...first, complete: false, problems: [expect.stringContaining('Run was aborted')] },
    ]);
  });

  it.each([
    ['ansible.json', 'the quotes of JSON strings'],
    ['compose.txt', 'the prefix "pgbench-1  | "'],
    ['fabric.txt', 'the prefix "[localhost] out: "'],
    ['journal.txt', 'the prefix "Nov 20 10:00:00 host1 pgbench[812]: "'],
    ['kubectl.txt', 'the prefix "[pod/bench-x/pgbench] "'],
    ['quoted.md', 'the prefix "> "'],
    ['table.md', 'the prefix "| "'],
  ])('where something stands on each line, which is named: %s', async (name, what) => {
    expect(await read(`prefix-${name}`)).toMatchObject([
      { ...first, ...whole, notes: [`taken off its lines: ${what}`] },
    ]);
  });

  it('where a start between two others could not connect', async () => {
    const refused = expect.stringContaining('Connection refused') as string;
    expect(await read('loop.txt')).toMatchObject([
      { ...first, ...whole, clientVersion: '15.6' },
      { transactions: null, tps: null, complete: false, problems: [refused], place: { run: 2, fromLine: 15 } },
      { ...second, ...whole, clientVersion: '15.6' },
    ]);
  });

  it('where the first lines of each are cut off, without mixing their figures', async () => {
    expect(await read('two-headless.txt')).toMatchObject([
      { ...first, complete: false },
      { ...third, complete: false },
    ]);
    expect(await read('aborted-then-headless.txt')).toMatchObject([
      { transactions: 0, tps: null, latencyAverageSeconds: null, complete: false },
      { ...second, scale: null, complete: false },
    ]);
  });

  it('where one of its two speeds is missing', async () => {
    const [run, next] = await read('one-speed.txt');
    expect(run).toMatchObject({
      transactions: 3650,
      tps: 729.926,
      complete: false,
      problems: ['lines that pgbench prints are missing: "tps (excluding connections establishing)"'],
      notes: ['its tps includes the time to connect'],
    });
    expect(next).toMatchObject({ transactions: 41_000, tps: 8203.1, ...whole });
  });

  it('with the whole version of a fork, and its percentiles noted', async () => {
    expect(await read('fork-version.txt')).toMatchObject([
      { clientVersion: '14.3', serverVersion: '11.2-YB-2024.2.1.0-b9', ...whole },
    ]);
    expect(await read('fork-percentiles.txt')).toMatchObject([
      { ...first, ...whole, notes: [expect.stringContaining('percentiles')] },
    ]);
  });

  it('with the error of its clients and no other reason where all gave up', async () => {
    const [run] = await read('all-aborted.txt');
    expect(run?.problems).toEqual([
      expect.stringContaining('transaction blocks not allowed in statement pooling mode'),
      expect.stringContaining('Run was aborted'),
      'no transaction was carried out',
    ]);
  });
});

describe('what somebody kept of HammerDB is read run by run', () => {
  it('where the log of a run ends within its ramp-up', async () => {
    const [cut, next, ...others] = await read('hammerdb-cut.log');
    expect(others).toEqual([]);
    expect(cut).toMatchObject({ clients: 2, measures: { nopm: null }, complete: false });
    expect(cut?.problems).toContainEqual(expect.stringContaining('New Order Procedure Error'));
    expect(cut?.problems).toContain('it has no result');
    expect(next).toMatchObject({ clients: 1, measures: { nopm: 351, tpm: 1022 } });
    expect(next?.problems.join()).not.toContain('Error');
  });

  it('where nobody ended the users afterwards', async () => {
    expect(await read('hammerdb-no-vudestroy.txt')).toMatchObject([
      { clients: 2, durationSeconds: 300, measures: { nopm: 4310, tpm: 9925 }, ...whole },
    ]);
  });

  it('where it is the report of a job', async () => {
    expect(await read('hammerdb-job-report.json')).toMatchObject([
      {
        clientVersion: 'HammerDB v6.0',
        database: 'PostgreSQL',
        serverVersion: '18.4',
        clients: 16,
        scale: 80,
        durationSeconds: 300,
        measures: { nopm: 512_345, tpm: 1_180_000 },
        scripts: [
          { name: 'neword', transactions: 3_660_000, latencySeconds: { p50: 0.0007, p95: 0.0019, p99: 0.0028 } },
        ],
        ...whole,
      },
    ]);
  });
});

describe('logs of old versions', () => {
  it('number transactions from 0', async () => {
    const digest = await digestLogs([kept('numbers-from-0.log')]);
    expect(digest).toMatchObject({ transactions: 5, failedTransactions: 0, exact: true, problems: [] });
    expect(digest.latencySeconds).toMatchObject({ mean: 0.0016848, p50: 0.00165, max: 0.002007 });
  });

  it('and so does the sample in the manuals of 15 to 18', async () => {
    const file = path.join(temporaryFolder(), 'pgbench_log.1');
    writeFileSync(
      file,
      '3 0 47423 0 1499414498 34501 3\n3 1 8333 0 1499414498 42848 0\n0 0 failed 0 1499414498 84905 9\n',
    );
    const digest = await digestLogs([file], { hasLag: false });
    expect(digest).toMatchObject({ transactions: 2, failedTransactions: 1, exact: true, problems: [] });
  });

  it('give a skipped transaction the number of the next one', async () => {
    const digest = await digestLogs([kept('skipped-before-10.log')], { hasLag: true });
    expect(digest).toMatchObject({ transactions: 3, skippedTransactions: 2, exact: true, problems: [] });
    expect(digest.latencySeconds.mean).toBeCloseTo(0.005172, 9);
  });
});
