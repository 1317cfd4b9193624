import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Check } from '../../../runner/contract/check.ts';
import { cycleLength, cyclesOf, isPhaseDrawn } from '../../../runner/analysis/validity/cycles.ts';
import type { LoggedCheckpoint } from '../../../runner/contract/server-facts.ts';
import { changedSample } from '../../helpers/samples/changed-sample.ts';
import { trial } from '../../helpers/samples/measured-trial.ts';

const [baseline, candidate] = ['without-log-volume', 'with-log-volume'];
const trialSeconds = 10;

interface World {
  /** Starts of checkpoints in each trial, in seconds. */
  startsOf: (variant: string, block: number) => number[];
  /** Whether the log of a trial is there. @default of all */
  isLogged?: (variant: string, block: number) => boolean;
  /** What the server counted in each trial; null if nobody asked it. @default null */
  countOf?: (variant: string, block: number) => number | null;
  /** How long a checkpoint takes. @default 1 */
  lasts?: (variant: string) => number;
  distanceMib?: (variant: string) => number;
  phaseSeconds?: number;
  /** Parameters of the candidate. */
  parameters?: Record<string, string>;
}

async function primaryOf({
  startsOf,
  lasts = () => 1,
  distanceMib = () => 50,
  phaseSeconds = 0,
  parameters,
  ...observed
}: World) {
  const { isLogged = () => true, countOf = () => null } = observed;
  const { result } = await changedSample({ blocks: 8, trialSeconds }, ({ run, trials }) => {
    run.experiment.definition.protocol.phaseSeconds = phaseSeconds;
    const { variants } = run.experiment.definition;
    const [one, other] = [variants[baseline], variants[candidate]];
    if (parameters && one && other) {
      variants[candidate] = {
        ...one,
        engine: { ...one.engine, parameters: { ...one.engine.parameters, ...parameters } },
      };
    }
    for (const { conditions, block, facts, measures } of trials) {
      measures['runtime'] = trialSeconds;
      facts.checkpoints = startsOf(conditions.variant, block).map((startedAt): LoggedCheckpoint => ({
        startedAt,
        endedAt: startedAt + lasts(conditions.variant),
        reason: 'wal',
        restartpoint: false,
        buffers: 1,
        writeSeconds: 1,
        syncSeconds: 0,
        distanceBytes: distanceMib(conditions.variant) * 2 ** 20,
      }));
      if (!isLogged(conditions.variant, block)) delete facts.checkpoints;
      measures['checkpoints.timed'] = countOf(conditions.variant, block);
      measures['checkpoints.requested'] = 0;
    }
  });
  const primary = result.comparisons.find((one) => one.primary);
  if (!primary) throw new Error('nothing decides');
  return primary;
}

async function checkOf(name: string, world: World): Promise<Check | undefined> {
  return (await primaryOf(world)).checks.find((one) => one.name === name);
}

describe('variants that differ only in what checkpoints do', () => {
  const startsOf = (): number[] => [];

  it('get no verdict from trials without any checkpoint', async () => {
    const primary = await primaryOf({ startsOf, parameters: { checkpoint_timeout: '30min' } });
    expect(primary.verdict).toBeNull();
    expect(primary.withheld.join()).toContain(
      'checkpoint cycles: no checkpoint was under way in any trial, and what checkpoint_timeout does shows only over whole cycles',
    );
  });

  it('get one if they differ in something else, or if a checkpoint was under way', async () => {
    const withMore = { checkpoint_timeout: '30min', work_mem: '8MB' };
    expect(await checkOf('checkpoint cycles', { startsOf, parameters: withMore })).toMatchObject({ state: 'pass' });
    expect(await checkOf('checkpoint cycles', { startsOf })).toMatchObject({ state: 'pass' });
    const begun = { startsOf: () => [3], parameters: { checkpoint_timeout: '30min' }, phaseSeconds: 1800 };
    expect((await primaryOf(begun)).verdict).not.toBeNull();
  });
});

describe('checkpoints that begin on one side only', () => {
  // As in the showcase of old: in every block, one checkpoint begins on the slow side and none on the fast one.
  const startsOf = (variant: string): number[] => (variant === baseline ? [-3, 8] : [-0.5]);

  it('take the verdict away where trials hold fewer than three whole cycles', async () => {
    const primary = await primaryOf({ startsOf });
    expect(primary.verdict).toBeNull();
    expect(primary.withheld[0]).toBe(
      'checkpoint cycles: more checkpoints began in the trials of without-log-volume than in those of with-log-volume in 8 of 8 blocks; cycle length: 11 s on without-log-volume, over 11 s (up to 30 s by checkpoint_timeout) on with-log-volume; measure trials of 120 s, so that they hold 3 whole cycles, or let pgduet draw the phase (protocol.phaseSeconds: 30)',
    );
  });

  it('leave it where the phase of the blocks was drawn over the longest cycle', async () => {
    expect((await primaryOf({ startsOf, phaseSeconds: 30 })).verdict).toBe('better');
    expect((await primaryOf({ startsOf, phaseSeconds: 10 })).verdict).toBeNull();
  });

  it('leave it where both sides hold three whole cycles: the faster side then pays for the checkpoints that it causes', async () => {
    const every = (seconds: number): number[] =>
      Array.from({ length: Math.floor(trialSeconds / seconds) }, (_, index) => index * seconds + 0.1);
    const whole = { startsOf: (variant: string) => every(variant === baseline ? 2.5 : 1.5) };
    expect(await checkOf('checkpoint cycles', whole)).toMatchObject({ state: 'pass' });
    expect((await primaryOf(whole)).verdict).toBe('better');
    const fewer = { startsOf: (variant: string) => every(variant === baseline ? 4 : 1.5) };
    expect((await primaryOf(fewer)).verdict).toBeNull();
  });

  it('leave it where that holds in fewer than three quarters of the blocks', async () => {
    const unevenIn = (blocks: number) => ({
      startsOf: (variant: string, block: number) => (variant === baseline && block <= blocks ? [1, 8] : [4]),
    });
    expect(await checkOf('checkpoint cycles', unevenIn(5))).toMatchObject({ state: 'warn' });
    expect(await checkOf('checkpoint cycles', unevenIn(6))).toMatchObject({ state: 'fail' });
  });
});

describe('checkpoints of which some logs are missing', () => {
  const startsOf = (variant: string): number[] => (variant === baseline ? [-3, 8] : []);
  const countOf = (variant: string): number => Number(variant === baseline);
  const loggedIn = (blocks: number) => (variant: string, block: number) => variant === candidate || block <= blocks;

  it('are judged by the other blocks, and the finding says how many they are', async () => {
    const primary = await primaryOf({ startsOf, isLogged: loggedIn(7) });
    expect(primary.verdict).toBeNull();
    expect(primary.withheld[0]).toMatch(
      /^checkpoint cycles: more checkpoints began in the trials of without-log-volume .* in 7 of 7 blocks; .*; the server’s log is missing in 1 of 8 blocks$/,
    );
    const even = { startsOf: () => [1, 4, 7], isLogged: loggedIn(4), countOf };
    expect(await checkOf('checkpoint cycles', even)).toMatchObject({
      state: 'pass',
      finding: expect.stringMatching(/; the server’s log is missing in 4 of 8 blocks$/) as string,
    });
  });

  it.each([0, 3])('are judged by the counters where %i of 8 blocks have logs', async (blocks) => {
    const world = { startsOf, isLogged: loggedIn(blocks), countOf };
    const primary = await primaryOf(world);
    expect(primary.verdict).toBeNull();
    expect(primary.withheld[0]).toMatch(
      new RegExp(
        `in 8 of 8 blocks; .* this is from the server’s counters, since the server’s log is missing in ${8 - blocks} of 8 blocks$`,
      ),
    );
    expect(await checkOf('checkpoint cycles', { ...world, phaseSeconds: 30 })).toMatchObject({ state: 'not assessed' });
    const many = { ...world, countOf: (variant: string) => (variant === baseline ? 5 : 4) };
    expect(await checkOf('checkpoint cycles', many)).toMatchObject({ state: 'not assessed' });
  });

  it('are not assessed where the counters are balanced, or missing in most blocks', async () => {
    const world = { startsOf, isLogged: loggedIn(3) };
    for (const counted of [() => 1, (variant: string, block: number) => (block < 4 ? countOf(variant) : null)]) {
      expect(await checkOf('checkpoint cycles', { ...world, countOf: counted })).toEqual({
        id: 'checkpoint-cycles',
        name: 'checkpoint cycles',
        state: 'not assessed',
        finding: 'the server’s log does not show when checkpoints began',
      });
    }
  });
});

describe('phases that were drawn', () => {
  const everyTwelve = { startsOf: () => [-4, 8] };

  it.each([11, 12, 13, 24])('over %i s of a cycle of 12 s are even', async (phaseSeconds) => {
    expect(await checkOf('checkpoint cycles', { ...everyTwelve, phaseSeconds })).toMatchObject({ state: 'pass' });
  });

  it.each([10, 18, 30])(
    'over %i s of a cycle of 12 s have some of its parts more often, as is said',
    async (phaseSeconds) => {
      expect(await checkOf('checkpoint cycles', { ...everyTwelve, phaseSeconds })).toEqual({
        id: 'checkpoint-cycles',
        name: 'checkpoint cycles',
        state: 'warn',
        finding: `the phase was drawn from a range of ${phaseSeconds} s, which makes some parts of a cycle more likely than others; cycle length: 12 s on without-log-volume, 12 s on with-log-volume; measure trials of 48 s, so that they hold 3 whole cycles, or draw the phase from whole cycles (protocol.phaseSeconds: 12 instead of ${phaseSeconds})`,
      });
    },
  );

  it('need not be even where every trial holds a whole cycle', async () => {
    const world = { startsOf: () => [1, 4, 7], phaseSeconds: 5 };
    expect(await checkOf('checkpoint cycles', world)).toMatchObject({ state: 'pass' });
  });
});

describe('trials without a whole cycle', () => {
  it('are named with both cycles and the remedy', async () => {
    expect(await checkOf('checkpoint cycles', { startsOf: () => [-4, 6] })).toEqual({
      id: 'checkpoint-cycles',
      name: 'checkpoint cycles',
      state: 'warn',
      finding:
        'not every trial holds a whole cycle, and all trials may hold the same phase; cycle length: 10 s on without-log-volume, 10 s on with-log-volume; measure trials of 40 s, so that they hold 3 whole cycles, or let pgduet draw the phase (protocol.phaseSeconds: 10)',
    });
  });

  it('are no trouble where the phase was drawn, or where no checkpoint goes on', async () => {
    expect(await checkOf('checkpoint cycles', { startsOf: () => [-4, 6], phaseSeconds: 10 })).toMatchObject({
      state: 'pass',
    });
    expect(await checkOf('checkpoint cycles', { startsOf: () => [] })).toMatchObject({
      state: 'pass',
      finding: 'no checkpoint was under way in any trial',
    });
  });

  it('do not get the advice to warm up for longer', async () => {
    const { result } = await changedSample({ blocks: 8, trialSeconds }, ({ trials }) => {
      for (const { facts, measures } of trials) {
        measures['seconds.startRatio'] = 0.7;
        facts.checkpoints = facts.checkpoints?.slice(0, 1);
      }
    });
    const check = result.comparisons.find(({ primary }) => primary)?.checks.find(({ name }) => name === 'warm-up');
    expect(check).toMatchObject({
      state: 'warn',
      finding: expect.stringMatching(/make the trials long enough for whole cycles$/) as string,
    });
  });
});

describe('the pace of checkpoints', () => {
  const startsOf = (): number[] => [0.1, 2.1, 4.1, 6.1, 8.1];
  const only = (variant: string) => (of: string, one: number, other: number) => (of === variant ? one : other);

  it('is named where one side alone starts the next as soon as one ends', async () => {
    const lasts = (variant: string): number => only(candidate)(variant, 1.98, 1.8);
    expect(await checkOf('checkpoint pace', { startsOf, lasts })).toMatchObject({
      state: 'warn',
      finding: expect.stringMatching(
        /^on with-log-volume only, the next checkpoint begins within 1 % of a cycle after one ends/,
      ) as string,
    });
    expect(await checkOf('checkpoint pace', { startsOf, lasts: () => 1.8 })).toMatchObject({ state: 'pass' });
  });

  it('is not named where nobody knows that of the other side, which has no log', async () => {
    const lasts = (variant: string): number => only(candidate)(variant, 1.98, 1.8);
    const isLogged = (variant: string): boolean => variant === candidate;
    expect(await checkOf('checkpoint pace', { startsOf, lasts, isLogged })).toBeUndefined();
  });

  it('is a doubt where the checkpoints of both sides leave no pause, with the share of the time that they take', async () => {
    const check = await checkOf('checkpoint pace', { startsOf, lasts: () => 1.98 });
    expect(check).toMatchObject({
      state: 'warn',
      finding: expect.stringMatching(
        /^on both sides, checkpoints follow each other without the pause that PostgreSQL plans \(9\d % of the time on without-log-volume, 9\d % of the time on with-log-volume\)$/,
      ) as string,
    });
  });

  it('is named where the cycle of one side alone holds more WAL than max_wal_size', async () => {
    const distanceMib = (variant: string): number => only(candidate)(variant, 166, 96);
    expect(await checkOf('checkpoint pace', { startsOf, distanceMib })).toMatchObject({
      state: 'warn',
      finding:
        'on with-log-volume only, a cycle holds 166 MiB of WAL, more than max_wal_size (128 MiB): this side pays for part of its speed with a longer recovery after a crash',
    });
    expect(await checkOf('checkpoint pace', { startsOf, distanceMib: () => 166 })).toMatchObject({ state: 'pass' });
  });
});

describe('the cycles of a trial', () => {
  /** A world where a checkpoint begins every `period` seconds, and the trial at some phase of that. */
  const worlds = fc.record({
    period: fc.double({ min: 0.5, max: 60, noNaN: true }),
    phase: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    seconds: fc.integer({ min: 5, max: 120 }),
    share: fc.double({ min: 0.1, max: 1, noNaN: true }),
  });

  it('are counted from start to start, and their length is that of the world', () => {
    fc.assert(
      fc.property(worlds, ({ period, phase, seconds, share }) => {
        const checkpoints: LoggedCheckpoint[] = [];
        for (let at = (phase - 1) * period; at <= seconds; at += period) {
          const endedAt = at + share * period;
          if (endedAt < 0) continue;
          const unknown = { reason: null, buffers: null, writeSeconds: null, syncSeconds: null };
          checkpoints.push({ startedAt: at, endedAt, restartpoint: false, ...unknown });
        }
        const of = trial('a', 1, { runtime: seconds }, { facts: { checkpoints } });
        const cycles = cyclesOf(of);
        if (cycles === null) {
          expect(
            checkpoints.every(({ startedAt, endedAt }) => Math.min(seconds, endedAt ?? 0) <= Math.max(0, startedAt)),
          ).toBe(true);
          return;
        }
        // Wherever it begins, a trial of n + 1 cycles holds n whole ones.
        expect(cycles.whole).toBeGreaterThanOrEqual(Math.floor(seconds / period - 1e-6) - 1);
        expect(cycles.whole * period).toBeLessThanOrEqual(seconds + 1e-6);
        if (cycles.cycleSeconds !== null) expect(cycles.cycleSeconds).toBeCloseTo(period, 6);
        expect(cycles.atLeastSeconds).toBeLessThanOrEqual(period * (1 + 1e-9) + 1e-9);
        // Once drawn over what is known at most, it is drawn; over half of it, it is not.
        const length = cycleLength([cycles], { checkpoint_timeout: '60 (s)' });
        expect(length.atMostSeconds).toBeGreaterThanOrEqual(length.seconds);
        expect(isPhaseDrawn({ phaseSeconds: length.atMostSeconds }, length)).toBe(true);
        expect(isPhaseDrawn({ phaseSeconds: length.atMostSeconds / 2 }, length)).toBe(false);
        expect(isPhaseDrawn({ phaseSeconds: 0 }, length)).toBe(false);
      }),
    );
  });
});
