import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { verifyTrial } from '../../../runner/analysis/verify/verify-result.ts';
import type { Measures } from '../../../runner/contract/metric.ts';
import { toolVersion } from '../../../runner/contract/tool-version.ts';
import { readHere, sealedReader } from '../../../runner/storage/series.ts';
import { toolOf } from '../../../runner/workloads/registry.ts';
import { temporaryFolder } from '../../helpers/fakes/fake-run.ts';
import { recordSample } from '../../helpers/samples/sample-result.ts';

const captured = path.resolve(import.meta.dirname, '../../fixtures/pgbench-logs/16.14/transactions');
const { run, trials } = recordSample({ blocks: 1 });
const { workload } = run.experiment.definition;
const signal = new AbortController().signal;
let folder: string;

/** A trial with the output and the logs of a real pgbench. */
beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(path.join(folder, 'transactions'));
  cpSync(path.join(captured, 'stdout.log'), path.join(folder, 'pgbench.stdout.log'));
  writeFileSync(path.join(folder, 'pgbench.stderr.log'), '');
  for (const name of readdirSync(captured).filter((file) => file.startsWith('pgbench_log.'))) {
    cpSync(path.join(captured, name), path.join(folder, 'transactions', name));
  }
});

async function reparse(): Promise<Measures> {
  return (await toolOf(workload).reparse?.(workload, folder, { startedAt: new Date(0), signal })) ?? {};
}

async function problemsOf(measures: Measures, canBeRead = true, madeBy = toolVersion): Promise<string[]> {
  const [trial] = trials;
  if (!trial) throw new Error('the sample has trials');
  const read = sealedReader(
    (name) => readHere(folder, name),
    () => null,
  );
  const files = { read, location: `${folder}/`, folder, signal };
  const record = { ...trial, measures: { ...measures }, series: [] };
  const { findings, isReadAgain } = await verifyTrial({ ...run, toolVersion: madeBy }, record, files);
  expect(isReadAgain).toBe(canBeRead);
  return findings.map(({ message }) => message);
}

describe('the raw output of a trial, read once more', () => {
  it('gives what pgbench printed, and what its logs hold', async () => {
    expect(await reparse()).toMatchObject({
      tps: 367.797153,
      transactions: 100,
      'latency.average': 0.010876,
      'log.transactions': 100,
      'log.failed': 0,
    });
    expect((await reparse())['latency.p99']).toBeGreaterThan(0);
    expect(await problemsOf(await reparse())).toEqual([]);
  });

  it.each([
    ['tps', 367.8],
    ['transactions', 101],
    ['latency.p99', 0.001],
    ['log.transactions', 99],
  ])(
    'finds a record that its raw output does not confirm, although the manifest was made anew',
    async (name, value) => {
      const problems = await problemsOf({ ...(await reparse()), [name]: value });
      expect(problems.filter((problem) => problem.startsWith(`${name} is ${value}, but `))).toHaveLength(1);
    },
  );

  it.each([
    ['a shorter log', 'transactions/pgbench_log.100', [], /^log\.transactions is 100, but \d+ in its raw output$/],
    ['no log', 'transactions', [], /^its record mentions a transaction log, which is missing$/],
    ['no log and no word of it', 'transactions', ['log.'], /^latency\.p95 is 0.001, but unknown in its raw output$/],
  ])('finds %s, although the manifest was made anew', async (_, gone, unrecorded, problem) => {
    const read = Object.entries(await reparse()).filter(([name]) => !unrecorded.some((one) => name.startsWith(one)));
    rmSync(path.join(folder, gone), { recursive: true });
    const problems = await problemsOf({ ...Object.fromEntries(read), 'latency.p95': 0.001 });
    expect(problems).toContainEqual(expect.stringMatching(problem));
  });

  it('finds a figure that was taken out of the record, where this version has made it', async () => {
    const { 'log.failed': _, ...others } = await reparse();
    expect(await problemsOf(others)).toEqual(['log.failed is not in its record, but 0 in its raw output']);
    expect(await problemsOf(others, true, '0.0.9')).toEqual([]);
  });

  it('finds that the run was aborted which its record calls finished', async () => {
    const whole = await reparse();
    writeFileSync(
      path.join(folder, 'pgbench.stderr.log'),
      'pgbench: error: Run was aborted; the above is incomplete.\n',
    );
    expect(await problemsOf(whole, false)).toContainEqual(
      expect.stringContaining('do not contain a complete run: pgbench: error'),
    );
  });

  it('is that of pgbench, too, where the load is that of orders', async () => {
    const { orders } = await import('../../../runner/workloads/orders/definition.ts');
    const declared = orders.schema.parse({ tool: 'orders', warehouses: 1, clients: 2, threads: 1, durationSeconds: 5 });
    rmSync(path.join(folder, 'transactions'), { recursive: true });
    const read = (waits: number) => orders.reparse({ ...declared, waits }, folder, { startedAt: new Date(0), signal });
    expect(await read(0)).toMatchObject({ tps: 367.797153, transactions: 100, 'latency.average': 0.010876 });
    expect(await read(1)).toMatchObject({ tps: 367.797153, 'latency.average': null });
  });

  it.each(['pgbench.stdout.log', 'pgbench.stderr.log'])('finds that %s is gone beside the others', async (name) => {
    const whole = await reparse();
    rmSync(path.join(folder, name));
    await expect(problemsOf(whole, false)).resolves.toContain(
      `${path.join(folder, name)} cannot be read: no such file.`,
    );
  });

  it('is not there for a trial whose tool kept none', async () => {
    for (const name of readdirSync(folder)) rmSync(path.join(folder, name), { recursive: true });
    expect(await reparse()).toEqual({});
  });
});

it('does not read a log to its end that holds far more transactions than its run tells of', async () => {
  const log = path.join(folder, 'transactions', 'pgbench_log.9.gz');
  const member = gzipSync('0 1 1000 0 1700000003 1\n'.repeat(100_000));
  // What follows would be refused in other words.
  writeFileSync(log, Buffer.concat([member, gzipSync('no log\n')]));
  expect(await problemsOf({}, false)).toContainEqual(
    expect.stringMatching(
      /pgbench_log\.9\.gz continues after line \d+, but its run reports \d+ transactions\. It is not the log/,
    ),
  );
});
