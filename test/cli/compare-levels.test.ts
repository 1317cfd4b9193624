import { describe, expect, it } from 'vitest';
import { assembleResult } from '../../runner/analysis/assemble.ts';
import type { Comparison } from '../../runner/contract/comparison.ts';
import type { Result } from '../../runner/contract/result.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { workingFolder } from '../helpers/samples/compared-sources.ts';
import { pgbenchOutput } from '../helpers/samples/pgbench-output.ts';
import { recordSample, sampleResult, seriesInMemory } from '../helpers/samples/sample-result.ts';

const { save, compare, primaries } = workingFolder();

/** A file with a run for each of these. */
async function ladder(name: string, runs: readonly { tps: number; clients?: number; scale?: number }[]): Promise<void> {
  await save(
    name,
    runs.map((run) => pgbenchOutput({ durationSeconds: 60, processed: run.tps * 60, ...run })).join('\n'),
  );
}

/** The change at each level, in percent. */
function changesOf(comparisons: readonly Comparison[]): [Comparison['conditions'], number | null][] {
  return comparisons.map(({ conditions, change }) => [
    conditions,
    change === null ? null : Math.round(change * 1000) / 10,
  ]);
}

/**
 * A run at several numbers of clients, at each of which both variants have the throughput times a factor. Each block has its
 * levels in an order of its own.
 */
async function levelled(
  factors: Record<number, number>,
  change: (trials: Trial[]) => Trial[] = (all) => all,
): Promise<Result> {
  const { run, trials, rows, endedAt } = recordSample({ blocks: 6 });
  const levels = Object.keys(factors).map(Number);
  run.experiment.definition.workload['clients'] = levels;
  const all = trials.flatMap((trial): Trial[] =>
    levels
      .toSorted((a, b) => ((trial.block * a) % 7) - ((trial.block * b) % 7))
      .map((clients) => ({
        ...trial,
        id: `${trial.id}-${clients}`,
        conditions: { clients, variant: trial.conditions.variant },
        measures: { ...trial.measures, tps: (trial.measures['tps'] ?? 0) * (factors[clients] ?? 1) },
        facts: { ...trial.facts, identity: { ...trial.facts.identity, clients } },
      })),
  );
  return assembleResult({ run, steps: [], trials: change(all) }, { endedAt }, seriesInMemory(rows));
}

describe('pgduet compare of outputs at several levels', () => {
  it('compares each scale with itself, however many runs a side has of it', async () => {
    const [small, large] = [
      { scale: 10, clients: 10 },
      { scale: 1000, clients: 10 },
    ];
    await ladder(
      'old.txt',
      [1000, 1000, 100, 100, 100, 100].map((tps) => ({ tps, ...(tps === 1000 ? small : large) })),
    );
    await ladder(
      'new.txt',
      [900, 900, 900, 900, 90, 90].map((tps) => ({ tps, ...(tps === 900 ? small : large) })),
    );
    expect(changesOf(await primaries('old.txt', 'new.txt'))).toEqual([
      [{ scale: 10 }, -10],
      [{ scale: 1000 }, -10],
    ]);
    const { text, stderr } = await compare('old.txt', 'new.txt');
    expect(text).toContain('new.txt vs old.txt at scale 10 ');
    expect(text).not.toContain('800');
    expect(stderr).toBe('');
  });

  it('compares ladders over clients, in the order of the clients', async () => {
    const at = (clients: number, tps: number) => ({ clients, tps });
    await ladder('old.txt', [at(64, 2000), at(2, 100), at(8, 700)]);
    await ladder('new.txt', [at(2, 90), at(8, 1400), at(64, 1800)]);
    for (const options of [[], ['--paired']]) {
      expect(changesOf(await primaries('old.txt', 'new.txt', ...options))).toEqual([
        [{ clients: 2 }, -10],
        [{ clients: 8 }, 100],
        [{ clients: 64 }, -10],
      ]);
    }
  });

  it('names levels that one side lacks, also in JSON, and takes none of their runs', async () => {
    await ladder('old.txt', [
      { clients: 2, tps: 100 },
      { clients: 8, tps: 700 },
      { clients: 16, tps: 900 },
    ]);
    await ladder('new.txt', [
      { clients: 8, tps: 770 },
      { clients: 64, tps: 1800 },
    ]);
    const comparisons = await primaries('old.txt', 'new.txt');
    expect(changesOf(comparisons)).toEqual([
      [{ clients: 2 }, null],
      [{ clients: 8 }, 10],
      [{ clients: 16 }, null],
      [{ clients: 64 }, null],
    ]);
    const alone = comparisons.filter(({ checks }) => checks.some(({ name }) => name === 'without a partner'));
    expect(alone.map(({ conditions: { clients }, baseline, candidate }) => [clients, baseline.n, candidate.n])).toEqual(
      [
        [2, 1, 0],
        [16, 1, 0],
        [64, 0, 1],
      ],
    );
    expect((await compare('old.txt', 'new.txt')).stderr).toContain('at 64 clients: old.txt was not measured there.');
  });

  it('refuses sides that have no level in common, with the levels of both and what to do', async () => {
    await ladder('old.txt', [
      { clients: 2, tps: 100 },
      { clients: 8, tps: 700 },
    ]);
    await ladder('new.txt', [
      { clients: 4, tps: 100 },
      { clients: 16, tps: 700 },
    ]);
    const { stderr, stdout, failed } = await compare('old.txt', 'new.txt');
    expect({ stdout, failed }).toEqual({ stdout: '', failed: true });
    for (const level of ['2 clients:', '8 clients', '4 clients', '16 clients']) expect(stderr).toContain(level);
    expect(stderr).not.toContain('--across');
  });

  it('compares sides that differ in one condition only if that is asked for, and says so', async () => {
    await ladder('old.txt', [{ clients: 8, tps: 100 }]);
    await ladder('new.txt', [{ clients: 16, tps: 150 }]);
    expect((await compare('old.txt', 'new.txt')).stderr).toContain('--across clients');
    const [tps] = await primaries('old.txt', 'new.txt', '--across', 'clients');
    expect(tps).toMatchObject({
      conditions: {},
      checks: [
        { name: 'workload', state: 'warn' },
        { id: 'work', state: 'pass' },
      ],
    });
    expect(tps?.change).toBeCloseTo(0.5, 9);
    await ladder('both.txt', [
      { clients: 8, tps: 100 },
      { clients: 16, tps: 150 },
    ]);
    expect((await compare('old.txt', 'both.txt', '--across', 'clients')).stderr).toContain(
      'both.txt itself has runs with 8 and 16',
    );
    expect((await compare('old.txt', 'new.txt', '--across', 'client')).stderr).toContain('Choose from scale, clients');
  });

  it('compares outputs of versions that do not name the same, and lists what differs besides, also in JSON', async () => {
    const output = pgbenchOutput({ tps: 100, processed: 3000, durationSeconds: 30 });
    const old = output
      .replace('15.18', '9.5.2')
      .replace('<builtin: TPC-B (sort of)>', 'TPC-B (sort of)')
      .replace('initial connection time = 12.500 ms\n', '')
      .replace('maximum number of tries: 1\n', '')
      .replace('number of failed transactions: 0 (0.000%)\n', '')
      .replace(
        /tps = (\S+) .*/,
        'tps = $1 (including connections establishing)\ntps = $1 (excluding connections establishing)',
      );
    await save('old.txt', old);
    const newer = pgbenchOutput({ tps: 100, processed: 6000, durationSeconds: 60 });
    await save('new.txt', newer.replace('number of threads: 2', 'number of threads: 4'));
    const [tps] = await primaries('old.txt', 'new.txt');
    expect(tps).toMatchObject({ conditions: {}, change: 0 });
    const found = tps?.checks.map(({ name, finding }) => `${name}: ${finding}`) ?? [];
    for (const words of ['version of the client', 'number of threads is 2', 'duration in seconds is 30']) {
      expect(found.filter((one) => one.startsWith('workload: ') && one.includes(words))).toHaveLength(1);
    }
  });

  it('takes a script for the same wherever its file is', async () => {
    const output = pgbenchOutput({ tps: 100 });
    await save('old.txt', output.replace('<builtin: TPC-B (sort of)>', '/home/old/order.sql'));
    await save('new.txt', output.replace('<builtin: TPC-B (sort of)>', './order.sql'));
    expect(changesOf(await primaries('old.txt', 'new.txt'))).toEqual([[{}, 0]]);
  });
});

describe('pgduet compare of two results with levels', () => {
  const side = 'without-log-volume';

  it('compares each level with itself, as pairs of the same block or not', async () => {
    await save('a', await levelled({ 1: 1, 4: 3, 16: 8 }));
    await save('b', await levelled({ 1: 0.5, 4: 3, 16: 16 }));
    for (const options of [[], ['--paired']]) {
      expect(changesOf(await primaries(`a#${side}`, `b#${side}`, ...options))).toEqual([
        [{ clients: 1 }, -50],
        [{ clients: 4 }, 0],
        [{ clients: 16 }, 100],
      ]);
    }
    const pairs = (await primaries(`a#${side}`, `b#${side}`, '--paired')).flatMap((one) => one.pairs);
    expect(new Set(pairs.map(({ baseline, candidate }) => Math.round((10 * candidate) / baseline)))).toEqual(
      new Set([5, 10, 20]),
    );
  });

  it('pairs by block, and names the trials of blocks that one run lacks', async () => {
    await save('a', await levelled({ 1: 1, 4: 3 }));
    await save(
      'b',
      await levelled({ 1: 1, 4: 3 }, (trials) =>
        trials.filter(({ block, conditions }) => block !== 2 || conditions['clients'] !== 4),
      ),
    );
    const [one, four] = await primaries(`a#${side}`, `b#${side}`, '--paired');
    expect(one?.pairs.map(({ block }) => block)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(four?.pairs.map(({ block, change }) => [block, change])).toEqual([1, 3, 4, 5, 6].map((block) => [block, 0]));
    expect(four?.checks).toMatchObject([
      { name: 'without a partner', finding: expect.stringContaining('-02-') as string },
      { id: 'work', state: 'pass' },
    ]);
  });

  it('matches a run at one level with that level of another, and says what the other lost elsewhere', async () => {
    const lost = {
      state: 'failed' as const,
      failure: { stage: 'measure' as const, error: 'it ended' },
      measures: {},
      facts: {},
    };
    await save(
      'a',
      await levelled({ 1: 1, 10: 3 }, (trials) =>
        trials.map((one) => (one.conditions['clients'] === 1 ? { ...one, ...lost } : one)),
      ),
    );
    await save('b', await levelled({ 1: 1, 10: 6 }));
    const [one, ten] = await primaries(`a#${side}`, `b#${side}`);
    expect(one).toMatchObject({
      conditions: { clients: 1 },
      change: null,
      withheld: [{ id: 'one-side-missing', message: `a#${side} lost 6 of 6 trials there` }],
    });
    expect(changesOf(ten ? [ten] : [])).toEqual([[{ clients: 10 }, 100]]);
    expect(ten).not.toHaveProperty('losses');
  });

  it('pairs the same replica of the same block', async () => {
    const result = await sampleResult({ blocks: 6 });
    const doubled = (factor: number): Result => ({
      ...result,
      trials: result.trials.flatMap((trial) =>
        [1, 2].map((replica) => ({
          ...trial,
          id: `${trial.id}-${replica}`,
          conditions: { ...trial.conditions, replica },
          measures: { ...trial.measures, tps: (trial.measures['tps'] ?? 0) * (replica === 1 ? 1 : 5) * factor },
        })),
      ),
      comparisons: [],
    });
    await save('a', doubled(1));
    await save('b', doubled(1.1));
    const [tps] = await primaries(`a#${side}`, `b#${side}`, '--paired');
    expect(tps?.pairs.map(({ block, replica }) => [block, replica])).toHaveLength(12);
    expect(new Set(tps?.pairs.map(({ change }) => change?.toFixed(6)))).toEqual(new Set(['0.100000']));
  });
});
