import path from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import { plannedTrials } from '../../runner/contract/plan.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { LimitReached } from '../../runner/run/time-limit.ts';
import { server } from '../helpers/fakes/fake-connect.ts';
import { fakeRun, type FakeRun, type FakeRunOptions } from '../helpers/fakes/fake-run.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

type Outcome = 'failed' | 'restarted' | 'disturbed' | 'interrupted' | 'without its server';

/** Three blocks of two variants. `outcomeOf` gives the outcome of trials; all others are `finished`. */
function runOf(
  outcomeOf: Record<string, Outcome> = {},
  { protocol, ...options }: FakeRunOptions = {},
): FakeRun & { saved: () => string[] } {
  const saved: string[] = [];
  const run = fakeRun({
    ...options,
    protocol: { blocks: 3, repeats: 2, reset: [], quietMachine: 'required', ...protocol },
    generator: {
      measure({ server }, { folder }) {
        const outcome = outcomeOf[path.basename(folder)];
        if (outcome === 'interrupted') run.interrupt('interrupted by SIGINT');
        if (outcome === 'without its server') run.killServer(server, 'the server is gone');
        if (outcome !== undefined && outcome !== 'disturbed' && outcome !== 'restarted') {
          return Promise.reject(new Error('it broke'));
        }
        return Promise.resolve({
          measures: { tps: 100, 'driver.others': outcome === 'disturbed' ? 0.5 : 0 },
          facts: { restarted: outcome === 'restarted' },
        });
      },
    },
    onEvent(event) {
      if (event.kind === 'trial-ended') saved.push(event.trial.id);
    },
  });
  return { ...run, saved: () => saved };
}

const ids = (trials: readonly Trial[] | undefined): string[] => (trials ?? []).map(({ id }) => id);
const planned = plannedTrials(fakeRun({ protocol: { blocks: 3 }, folder: '.' }).execution.plan).map(({ id }) => id);
const [first = '', second = '', third = ''] = planned;

describe('a plan that is carried out', () => {
  it('measures every trial once where nothing goes wrong, and keeps each as it ends', async () => {
    const run = runOf();
    const result = await run.carryOut();
    expect(ids(result?.trials)).toEqual(planned);
    expect(run.saved()).toEqual(planned);
    expect(result?.complete).toBe(true);
    expect(run.stored().trials).toEqual(result?.trials);
  });

  it('saves a trial before it tells of it', async () => {
    const observed: string[][] = [];
    const run = runOf();
    const { report } = run.execution;
    run.execution.report = (event) => {
      report(event);
      if (event.kind === 'trial-ended') observed.push(ids(run.stored().trials));
    };
    await run.carryOut();
    expect(observed).toEqual(planned.map((_, index) => planned.slice(0, index + 1)));
  });

  it('repeats the whole block of a trial that something outside the servers disturbed, and keeps both', async () => {
    const run = runOf({ [second]: 'disturbed' });
    const result = await run.carryOut();
    expect(ids(result?.trials)).toEqual([
      ...[first, second, `${first}-repeat-2`, `${second}-repeat-2`],
      ...planned.slice(2),
    ]);
    expect(result?.trials.map(({ attempt }) => attempt).slice(0, 5)).toEqual([1, 1, 2, 2, 1]);
    expect(result?.complete).toBe(true);
    expect(run.events.filter(({ kind }) => kind === 'block-repeated')).toMatchObject([
      { block: 1, because: [{ id: second }] },
    ]);
  });

  it.each(['failed', 'restarted'] as const)(
    'never repeats a trial that %s: it is a loss of its side, and its block is unknown',
    async (state) => {
      const run = runOf({ [second]: state });
      const result = await run.carryOut();
      expect(ids(result?.trials)).toEqual(planned);
      expect(run.events.filter(({ kind }) => kind === 'block-repeated')).toEqual([]);
      expect(result?.comparisons[0]).toMatchObject({
        unknownBlocks: [{ block: 1, reason: 'lost', trials: [second] }],
        losses: { baseline: { lost: 0, of: 3 }, candidate: { lost: 1, of: 3 } },
        pairs: [{ block: 2 }, { block: 3 }],
      });
      // Nor does a later start.
      const again = runOf({}, { folder: run.folder });
      await again.carryOut({ earlier: run.stored() });
      expect(again.saved()).toEqual([]);
    },
  );

  it('repeats no more blocks in all than the protocol allows', async () => {
    const everyTime = [first, `${first}-repeat-2`, `${first}-repeat-3`, third].map((id) => [id, 'disturbed'] as const);
    const result = await runOf(Object.fromEntries(everyTime)).carryOut();
    expect(result?.trials).toHaveLength(planned.length + 4);
    const unrepeated = await runOf({ [first]: 'disturbed' }, { protocol: { repeats: 0 } }).carryOut();
    expect(unrepeated?.trials).toHaveLength(planned.length);
  });

  it.each(['failed', 'disturbed'] as const)(
    'stops after the first block where all of its trials are %s however often it is repeated, and says why',
    async (state) => {
      const repeats = state === 'failed' ? [] : ['-repeat-2', '-repeat-3'];
      const everyAttempt = [first, second].flatMap((id) => [id, ...repeats.map((repeat) => `${id}${repeat}`)]);
      const everyTime = Object.fromEntries(everyAttempt.map((id) => [id, state]));
      const run = runOf(everyTime);
      const result = await run.carryOut();
      expect(ids(result?.trials).sort()).toEqual(everyAttempt.sort());
      expect(result?.complete).toBe(false);
      expect(result?.stoppedBy?.id).toBe('measured-in-vain');
      expect(result?.stoppedBy?.message).toMatch(
        state === 'failed'
          ? /^Stopped after block 1: none of its trials is valid \(one failed in measure: it broke; two/
          : /^Stopped after block 1: it was measured 3 times, and none of the last trials is valid \(one: other programs: /,
      );
      expect(result?.warnings).toContainEqual({ id: 'stopped-early', message: result?.stoppedBy?.message });
      // What one variant alone cannot do may still be said of the others.
      const { [everyAttempt.at(-1) ?? '']: _, ...oneVariant } = everyTime;
      expect((await runOf(oneVariant).carryOut())?.trials).toHaveLength(planned.length + 2 * repeats.length);
      const unrepeated = await runOf({ [first]: state, [second]: state }, { protocol: { repeats: 0 } }).carryOut();
      expect(unrepeated?.trials).toHaveLength(planned.length);
      // Nothing is left to be spared after the last block.
      const onlyOne = await runOf(everyTime, { protocol: { blocks: 1 } }).carryOut();
      expect(ids(onlyOne?.trials).sort()).toEqual(everyAttempt.sort());
      expect(onlyOne?.stoppedBy).toBeUndefined();
    },
  );

  it('ends where it is interrupted, without a repeat, and gives what it has', async () => {
    const run = runOf({ [second]: 'interrupted' });
    const result = await run.carryOut();
    expect(result?.trials.map(({ id, state }) => [id, state])).toEqual([
      [first, 'finished'],
      [second, 'interrupted'],
    ]);
    expect(result?.complete).toBe(false);
    expect(run.log.at(-1)).toBe('place closed');
  });

  it.each([
    ['is interrupted', 'interrupted' as const],
    ['comes to its end', null],
  ])('says what cannot be removed when it %s', async (_, outcome) => {
    const warnings: string[] = [];
    const run = fakeRun({
      protocol: { blocks: 3, reset: [] },
      place: { close: () => Promise.reject(new UserError('The volumes are still in use by process 7 (sh).')) },
      generator: {
        measure() {
          if (outcome !== null) run.interrupt('interrupted by SIGINT');
          return Promise.resolve({ measures: { tps: 100 }, facts: {} });
        },
      },
      onEvent(event) {
        if (event.kind === 'warning') warnings.push(event.text);
      },
    });
    if (outcome === null) {
      await expect(run.carryOut()).rejects.toThrow('still in use by process 7');
      expect(warnings).not.toContainEqual(expect.stringContaining('still in use'));
    } else {
      expect((await run.carryOut())?.trials.map(({ state }) => state)).toEqual(['interrupted']);
      expect(warnings).toContain('The volumes are still in use by process 7 (sh).');
    }
  });

  it('ends where a server is gone, without a repeat', async () => {
    const result = await runOf({ [first]: 'without its server' }).carryOut();
    expect(result?.trials).toMatchObject([{ state: 'failed', failure: { error: 'the server is gone' } }]);
  });

  it('ends between two trials where somebody wants so, and none is cut off', async () => {
    const run = runOf();
    run.execution.betweenTrials = () => {
      if (run.saved().length === 3) run.interrupt('another takes its place');
      return Promise.resolve();
    };
    const result = await run.carryOut();
    expect(result?.trials.map(({ state }) => state)).toEqual(['finished', 'finished', 'finished']);
    expect(result?.complete).toBe(false);
  });

  it.each([
    ['precision', 8],
    ['verdict', 6],
  ])('stops after the block that is enough until: %s, and is complete then', async (until, blocks) => {
    const result = await runOf({}, { protocol: { blocks: 30, order: 'random', until } }).carryOut();
    // All blocks are alike: at the first look, the interval has no width.
    expect(result?.trials).toHaveLength(2 * blocks);
    expect(result).toMatchObject({ complete: true, stoppedAfterBlock: blocks });
  });
});

describe('a run that is gone on with', () => {
  /** The run as it goes on, after an earlier start in which trials came out like this. */
  async function goneOnWith(
    outcomeOf: Record<string, Outcome>,
    { isResumed = false, ...options }: FakeRunOptions & { isResumed?: boolean } = {},
  ) {
    const before = runOf(outcomeOf, options);
    await before.carryOut();
    const earlier = before.stored();
    const run = runOf({}, { ...options, folder: before.folder });
    const result = await run.carryOut({ earlier, isResumed });
    return { run, earlier, result };
  }
  const [, , , fourth = ''] = planned;
  const noRepeats = { protocol: { repeats: 0 } };

  it('on new servers measures a block that was cut off again as a whole, and keeps what was cut off', async () => {
    const { run, earlier, result } = await goneOnWith({ [fourth]: 'interrupted' });
    expect(run.saved()).toEqual([`${third}-repeat-2`, `${fourth}-repeat-2`, ...planned.slice(4)]);
    expect(run.events.filter(({ kind }) => kind === 'trial-skipped')).toMatchObject([
      { trial: { id: first } },
      { trial: { id: second } },
    ]);
    expect(run.events.filter(({ kind }) => kind === 'block-repeated')).toMatchObject([
      { block: 2, because: [{ id: fourth, state: 'interrupted' }] },
    ]);
    expect(result?.complete).toBe(true);
    expect(result?.trials).toEqual(expect.arrayContaining(earlier.trials));
    expect(run.stored().trials).toEqual(result?.trials);
    // Somebody saw the figures of the block that was cut off: it is unknown, whatever was measured anew.
    expect(result?.comparisons[0]).toMatchObject({
      unknownBlocks: [{ block: 2, reason: 'cut-off', trials: [fourth] }],
      unknownPairs: 1,
      pairs: [{ block: 1 }, { block: 3 }],
    });
  });

  it('on the same servers goes on with the block, and keeps what was cut off', async () => {
    const { run, earlier, result } = await goneOnWith({ [fourth]: 'interrupted' }, { isResumed: true });
    expect(run.saved()).toEqual([`${fourth}-repeat-2`, ...planned.slice(4)]);
    expect(run.events.filter(({ kind }) => kind === 'block-repeated')).toEqual([]);
    expect(result?.complete).toBe(true);
    expect(result?.trials).toEqual(expect.arrayContaining(earlier.trials));
    expect(result?.comparisons[0]).toMatchObject({
      unknownBlocks: [{ block: 2, reason: 'cut-off', trials: [fourth] }],
      pairs: [{ block: 1 }, { block: 3 }],
    });
  });

  it('measures trials that run at the same time again together, also on the same servers', async () => {
    const together = { protocol: { order: 'together', repeats: 0 } };
    const { run, result } = await goneOnWith({ [`block-02-1-two`]: 'interrupted' }, { isResumed: true, ...together });
    expect(run.saved().slice(0, 2)).toEqual(['block-02-1-one-repeat-2', 'block-02-1-two-repeat-2']);
    expect(result?.comparisons[0]?.unknownBlocks).toMatchObject([{ block: 2, reason: 'cut-off' }]);
  });

  it('has no verdict if a limit ends it before its plan: who cut it off has chosen how much time that leaves', async () => {
    const before = runOf({ [planned[5] ?? '']: 'interrupted' });
    await before.carryOut();
    const run = runOf({}, { folder: before.folder });
    const { now } = run.execution;
    run.execution.now = () => new Date(now().getTime() + 3_600_000);
    const limit = new AbortController();
    run.execution.signal = limit.signal;
    run.execution.betweenTrials = () => {
      limit.abort(new LimitReached('Stopped by limits.hours: 1'));
      return Promise.resolve();
    };
    const ended = await run.carryOut({ earlier: before.stored() });
    expect(ended).toMatchObject({
      complete: false,
      stoppedBy: { id: 'limit-reached', message: 'Stopped by limits.hours: 1' },
    });
    expect(ended?.comparisons[0]?.withheld.map(({ id }) => id)).toContain('resumed-before-limit');
    // A limit that ends a run which nobody has cut off does not depend on its figures.
    const alone = runOf();
    alone.execution.signal = limit.signal;
    expect((await alone.carryOut())?.comparisons[0]?.withheld.map(({ id }) => id)).not.toContain('ended-early');
  });

  it('does not measure a failed trial again, and keeps the failure with its cause', async () => {
    const { run, result } = await goneOnWith({ [first]: 'failed' }, noRepeats);
    expect(run.saved()).toEqual([]);
    expect(result?.trials.find(({ id }) => id === first)).toMatchObject({
      state: 'failed',
      failure: { stage: 'measure', error: 'it broke' },
    });
    expect(result?.complete).toBe(false);
  });

  it('gives trials that were cut off twice a name of their own each', async () => {
    const { run } = await goneOnWith({ [fourth]: 'interrupted' });
    const again = runOf({}, { folder: run.folder });
    const stored = run.stored();
    const cut = stored.trials.map((trial) =>
      trial.block === 3 ? { ...trial, state: 'interrupted' as const, failure: null } : trial,
    );
    await again.carryOut({ earlier: { ...stored, trials: cut } });
    expect(again.saved()).toEqual(planned.slice(4).map((id) => `${id}-repeat-2`));
  });

  it('takes repeats that an earlier start finished, too, and counts them', async () => {
    const { run, result } = await goneOnWith({ [first]: 'disturbed', [fourth]: 'interrupted' });
    expect(run.saved()).toEqual([`${third}-repeat-2`, `${fourth}-repeat-2`, ...planned.slice(4)]);
    expect(result?.complete).toBe(true);
    const invalid = { [first]: 'disturbed', [`${third}-repeat-2`]: 'disturbed' } as const;
    const before = runOf({ [first]: 'disturbed', [fourth]: 'interrupted' }, { protocol: { repeats: 1 } });
    await before.carryOut();
    const poor = runOf(invalid, { folder: before.folder, protocol: { repeats: 1 } });
    await poor.carryOut({ earlier: before.stored() });
    expect(poor.saved()).toEqual([`${third}-repeat-2`, `${fourth}-repeat-2`, ...planned.slice(4)]);
  });

  it('knows a trial whose runner was killed, with the stage in which that was', async () => {
    const before = runOf();
    const stop = new Error('killed');
    before.execution.report = (event) => {
      // As if the process had ended here.
      if (event.kind === 'stage-started' && event.trial.id === third && event.stage === 'measure') throw stop;
    };
    const { store } = before;
    before.execution.openStore = () => ({
      ...store,
      saveTrial: (trial, rows) => (trial.id === third ? Promise.reject(stop) : store.saveTrial(trial, rows)),
    });
    await expect(before.carryOut()).rejects.toThrow('killed');
    expect(before.stored().trials.at(-1)).toMatchObject({
      id: third,
      state: 'interrupted',
      failure: { stage: 'measure', code: 'cut-off' },
      measures: {},
    });
    const run = runOf({}, { folder: before.folder });
    const result = await run.carryOut({ earlier: before.stored() });
    expect(run.saved()).toEqual([`${third}-repeat-2`, `${fourth}-repeat-2`, ...planned.slice(4)]);
    expect(result).toMatchObject({ complete: true, trials: { length: 7 } });
  });

  it('keeps what it said of itself when it began', async () => {
    const before = runOf({ [third]: 'interrupted' });
    await before.carryOut();
    const earlier = before.stored();
    const run = runOf({}, { folder: before.folder });
    await run.carryOut({ earlier });
    expect(run.stored().run).toEqual(earlier.run);
  });

  it('says after which block it was precise enough, not where it went on', async () => {
    const precise = { protocol: { blocks: 30, until: 'precision' } };
    const before = runOf({}, precise);
    await before.carryOut();
    const run = runOf({}, { ...precise, folder: before.folder });
    const result = await run.carryOut({ earlier: before.stored() });
    expect(run.saved()).toEqual([]);
    expect(result).toMatchObject({ complete: true, stoppedAfterBlock: 8 });
  });
});
