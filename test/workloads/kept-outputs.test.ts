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

const containing = (words: string): unknown => expect.stringContaining(words);
const takenOff = (what: string) => ({ notes: [`stripped from its lines: ${what}`] });
const missing = (line: string) => ({ complete: false, problems: [`lines that pgbench prints are missing: "${line}"`] });
const job = {
  ...{ clientVersion: 'HammerDB v6.0', database: 'PostgreSQL', serverVersion: '18.4', clients: 16, scale: 80 },
  ...{ durationSeconds: 300, measures: { nopm: 512_345, tpm: 1_180_000 } },
  scripts: [{ name: 'neword', transactions: 3_660_000, latencySeconds: { p50: 0.0007, p95: 0.0019, p99: 0.0028 } }],
};

/** What somebody kept, and its runs. */
const outputs: [what: string, name: string, ...runs: object[]][] = [
  [
    'one of three without its first line',
    'notes.md',
    ...[
      { ...first, ...whole },
      { ...second, ...whole },
    ],
    { ...third, ...missing('transaction type'), place: { run: 3, fromLine: 33, toLine: 43 } },
  ],
  ['indented', 'page.md', { ...first, ...whole, ...takenOff('a margin of 4 characters') }, { ...second, ...whole }],
  ['indented and aborted', 'aborted.md', { ...first, complete: false, problems: [containing('Run was aborted')] }],
  ['in JSON', 'prefix-ansible.json', { ...first, ...whole, ...takenOff('the quotes of JSON strings') }],
  ...[
    ['compose.txt', 'pgbench-1  | '],
    ['fabric.txt', '[localhost] out: '],
    ['journal.txt', 'Nov 20 10:00:00 host1 pgbench[812]: '],
    ['kubectl.txt', '[pod/bench-x/pgbench] '],
    ['quoted.md', '> '],
    ['table.md', '| '],
  ].map(([name = '', prefix = '']): [string, string, object] => [
    ...(['with a prefix', `prefix-${name}`] as const),
    { ...first, ...whole, ...takenOff(`the prefix "${prefix}"`) },
  ]),
  [
    'a start that could not connect between two others',
    'loop.txt',
    { ...first, ...whole, clientVersion: '15.6' },
    { tps: null, complete: false, problems: [containing('Connection refused')], place: { run: 2, fromLine: 15 } },
    { ...second, ...whole, clientVersion: '15.6' },
  ],
  ['two without first lines', 'two-headless.txt', { ...first, complete: false }, { ...third, complete: false }],
  [
    'one without first lines behind one that was aborted',
    'aborted-then-headless.txt',
    { transactions: 0, tps: null, latencyAverageSeconds: null, complete: false },
    { ...second, scale: null, complete: false },
  ],
  [
    'one of two speeds',
    'one-speed.txt',
    {
      ...{ transactions: 3650, tps: 729.926, ...missing('tps (excluding connections establishing)') },
      notes: ['its tps includes connection time'],
    },
    { transactions: 41_000, tps: 8203.1, ...whole },
  ],
  ['a fork', 'fork-version.txt', { clientVersion: '14.3', serverVersion: '11.2-YB-2024.2.1.0-b9', ...whole }],
  ['a fork with percentiles', 'fork-percentiles.txt', { ...first, ...whole, notes: [containing('percentiles')] }],
  [
    'clients that all gave up',
    'all-aborted.txt',
    {
      problems: [
        containing('transaction blocks not allowed in statement pooling mode'),
        ...[containing('Run was aborted'), 'no transaction completed'],
      ],
    },
  ],
  [
    'HammerDB cut off in its ramp-up, before another',
    'hammerdb-cut.log',
    {
      clients: 2,
      measures: { nopm: null },
      complete: false,
      problems: expect.arrayContaining(['it has no result']) as unknown,
    },
    { clients: 1, measures: { nopm: 351, tpm: 1022 } },
  ],
  [
    'HammerDB whose users nobody ended',
    'hammerdb-no-vudestroy.txt',
    { clients: 2, durationSeconds: 300, measures: { nopm: 4310, tpm: 9925 }, ...whole },
  ],
  ['the report of a job of HammerDB', 'hammerdb-job-report.json', { ...job, ...whole }],
];

it.each(outputs)('what somebody kept is read run by run: %s', async (_, name, ...runs) => {
  expect(await read(name)).toMatchObject(runs);
});

it('an error of a run of HammerDB is its own', async () => {
  const [cut, next] = await read('hammerdb-cut.log');
  expect(cut?.problems).toContainEqual(containing('New Order Procedure Error'));
  expect(next?.problems.join()).not.toContain('Error');
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
