import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countedTrials } from '../../runner/analysis/counted-trials.ts';
import type { Result } from '../../runner/contract/result.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { timeKindOf } from '../../runner/metrics/transaction-time.ts';
import { mean } from '../../runner/statistics/summaries.ts';
import { folderSeries } from '../../runner/storage/series.ts';
import { TinyRun } from '../helpers/processes/tiny-run.ts';

/** In one variant, every transaction changes the same row. */
const experiment = {
  name: 'tiny',
  question: 'Is it slower when all change the same row?',
  common: { storage: { type: 'local', sizeGib: 0.25 }, engine: { parameters: { autovacuum: false } } },
  variants: {
    'many-rows': { engine: { parameters: { 'cause.rows': 90_000 } } },
    'one-row': { engine: { parameters: { 'cause.rows': 1 } } },
  },
  baseline: 'many-rows',
  workload: {
    tool: 'pgbench',
    scale: 1,
    clients: 12,
    threads: 1,
    durationSeconds: 2,
    scripts: [{ file: path.resolve(import.meta.dirname, '../causes/scripts/hot-row.sql') }],
  },
  protocol: { blocks: 6, warmUpSeconds: 0.5, reset: [] },
  profiles: { local: {} },
};

describe('the explanation of a run in which all wait for one row', () => {
  let tiny: TinyRun;
  let result: Result;
  let latest: string;

  beforeAll(async () => {
    tiny = new TinyRun();
    tiny.define(experiment);
    latest = path.join(tiny.folder, 'results/tiny/latest');
    result = await tiny.measured();
  });
  afterAll(() => {
    tiny.remove();
  });

  test('names the locks first', () => {
    expect(result.comparisons.find(({ primary }) => primary)?.verdict).toBe('worse');
    expect(result.explanations).toMatchObject([{ slower: 'one-row' }]);
    expect(result.explanations?.[0]?.mechanisms[0]).toMatchObject({ name: 'lock-bound', kind: 'locks' });
  });

  test('has numbers that follow from the series of its trials', async () => {
    const locks = result.explanations?.[0]?.time.find(({ kind }) => kind === 'locks');
    // Beside other programs, a block is measured once more.
    const counted = countedTrials(result);
    const timesOfVariant = (name: string): Promise<number>[] =>
      result.trials.filter(({ id, conditions }) => counted.has(id) && conditions.variant === name).map(timeInLocks);
    const [before, after] = await Promise.all([
      Promise.all(timesOfVariant('many-rows')),
      Promise.all(timesOfVariant('one-row')),
    ]);
    expect(locks?.baseline).toBeCloseTo(mean(before), 6);
    expect(locks?.candidate).toBeCloseTo(mean(after), 6);
  });

  test('stands in the report, with the wait events side by side', () => {
    for (const file of ['report.md', 'report.html']) {
      const text = readFileSync(path.join(latest, file), 'utf8');
      expect(text.replaceAll('\u00a0', ' '), file).toMatch(
        /It waits for locks held by other transactions: [\d.,]+ ms with many-rows, [\d.,]+ ms with one-row, /,
      );
      expect(text, file).toMatch(/Lock:(transactionid|tuple)/);
      expect(text, file).toContain('Wait events');
    }
  });

  /** The share of the sessions that wait for locks, weighted by the samples of each second, of the turn of a client. */
  async function timeInLocks(trial: Trial): Promise<number> {
    const series = await folderSeries(latest).read(trial);
    const samples = new Map((series.get('waits.samples') ?? []).map(({ second, value }) => [second, value]));
    let [all, inLocks] = [0, 0];
    for (const [name, points] of series) {
      const event = /^waits\.(?:sessions\.(?<event>.*)|idle)$/.exec(name);
      if (!event) continue;
      const sessions = points.reduce((sum, { second, value }) => sum + value * (samples.get(second) ?? 0), 0);
      all += sessions;
      if (timeKindOf(event.groups?.['event'] ?? '') === 'locks') inLocks += sessions;
    }
    return (inLocks / all) * (trial.measures['client.turn'] ?? NaN);
  }
});
