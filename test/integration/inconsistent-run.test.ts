import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { stringify } from 'yaml';
import type { Result } from '../../runner/contract/result.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { withLostUpdate } from '../helpers/samples/lost-update.ts';

// What is lost does not depend on how much there is.
vi.mock(import('../../runner/workloads/tpcc.ts'), async (original) => {
  const tpcc = await original();
  const small = { items: 1000, stockPerWarehouse: 1000, customersPerDistrict: 1000, ordersPerDistrict: 1000 };
  return { ...tpcc, sizes: { ...tpcc.sizes, ...small } as unknown as typeof tpcc.sizes };
});
vi.mock(import('../../runner/workloads/orders/scripts.ts'), async (original) => {
  const scripts = await original();
  return { ...scripts, transactions: withLostUpdate(scripts.transactions) };
});

test('a run whose transactions lose updates is refused: no trial counts, no figure is shown, and the exit code is 1', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'inconsistent-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o711);
  mkdirSync(path.join(folder, 'experiments'));
  const experiment = {
    name: 'lossy',
    question: 'Is anything lost?',
    common: { storage: { type: 'local', sizeGib: 1 } },
    variants: { one: {}, two: {} },
    baseline: 'one',
    workload: { tool: 'orders', warehouses: 1, clients: 8, threads: 1, durationSeconds: 1 },
    protocol: { blocks: 1, repeats: 0, warmUpSeconds: 0 },
    profiles: { local: {} },
  };
  writeFileSync(path.join(folder, 'experiments/lossy.yaml'), stringify(experiment));
  const words = ['load-run', 'lossy', '--local', '--volumes', 'folders'];
  const { exitCode, stdout } = await runCommandLine(words, { workingFolder: folder });
  expect(exitCode).toBe(1);
  expect(stdout).toContain('No result: ');
  const file = path.join(folder, 'results/lossy/latest/result.json');
  const { trials, comparisons, complete } = JSON.parse(readFileSync(file, 'utf8')) as Result;
  expect(complete).toBe(false);
  expect(trials).toHaveLength(2);
  for (const { state, failure, measures } of trials) {
    expect(state).toBe('failed');
    expect(failure?.error).toMatch(/^The data is not consistent after the trial: consistency condition 1 of TPC-C/);
    expect(measures).toEqual({});
  }
  expect(comparisons.flatMap(({ pairs }) => pairs)).toEqual([]);
});
