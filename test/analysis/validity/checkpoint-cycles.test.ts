import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckState } from '../../../runner/contract/check.ts';
import { cycleLength, cyclesOf, isPhaseDrawn } from '../../../runner/analysis/validity/cycles.ts';
import type { LoggedCheckpoint } from '../../../runner/contract/server-facts.ts';
import { changedSample, primaryOf } from '../../helpers/samples/changed-sample.ts';
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

async function comparisonOf({
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
  return primaryOf(result);
}

/**
 * What the world is like, what a check says of it (undefined: it does not apply), and figures of its finding. A check that fails
 * takes the verdict away.
 */
type Case = [about: string, world: World, state: CheckState | undefined, figures?: RegExp];

function judges(id: string, cases: readonly Case[]): void {
  it.each(cases)(`${id}: %s`, async (_, world, state, figures = /^/) => {
    const { checks, verdict, withheld } = await comparisonOf(world);
    const check = checks.find((one) => one.id === id);
    expect(check?.state).toBe(state);
    expect(check?.finding ?? '').toMatch(figures);
    expect(verdict === null).toBe(state === 'fail');
    expect(withheld.map((one) => one.id)).toEqual(state === 'fail' ? [id] : []);
  });
}

const longer = { checkpoint_timeout: '30min' };
const no = { startsOf: () => [] };

describe('variants that differ only in what checkpoints do', () => {
  judges('checkpoint-cycles', [
    ['no trial has any', { ...no, parameters: longer }, 'fail', /checkpoint_timeout/],
    ['they differ in something else, too', { ...no, parameters: { ...longer, work_mem: '8MB' } }, 'pass'],
    ['they do not differ in that', no, 'pass'],
    ['one was under way', { startsOf: () => [3], parameters: longer, phaseSeconds: 1800 }, 'pass'],
  ]);
});

describe('checkpoints that begin on one side only', () => {
  // As in the showcase of old: in every block, one checkpoint begins on the slow side and none on the fast one.
  const startsOf = (variant: string): number[] => (variant === baseline ? [-3, 8] : [-0.5]);
  const every = (seconds: number): number[] =>
    Array.from({ length: Math.floor(trialSeconds / seconds) }, (_, index) => index * seconds + 0.1);
  const unevenIn = (blocks: number): World => ({
    startsOf: (variant, block) => (variant === baseline && block <= blocks ? [1, 8] : [4]),
  });
  judges('checkpoint-cycles', [
    ['in all blocks', { startsOf }, 'fail', / 8 of 8 .* 11 s on .* over 11 s \(up to 30 s .* 120 s.*phaseSeconds: 30/],
    ['at phases over the longest cycle', { startsOf, phaseSeconds: 30 }, 'pass'],
    ['at phases over less', { startsOf, phaseSeconds: 10 }, 'fail'],
    // The faster side then pays for the checkpoints that it causes.
    ['with three whole cycles', { startsOf: (variant) => every(variant === baseline ? 2.5 : 1.5) }, 'pass'],
    ['with fewer on one side', { startsOf: (variant) => every(variant === baseline ? 4 : 1.5) }, 'fail'],
    ['in 5 of 8 blocks', unevenIn(5), 'warn'],
    ['in 6 of 8 blocks', unevenIn(6), 'fail'],
  ]);
});

describe('checkpoints of which some logs are missing', () => {
  const startsOf = (variant: string): number[] => (variant === baseline ? [-3, 8] : []);
  const countOf = (variant: string): number => Number(variant === baseline);
  const loggedIn = (blocks: number) => (variant: string, block: number) => variant === candidate || block <= blocks;
  const few = { startsOf, isLogged: loggedIn(3), countOf };
  const counted = (variant: string, block: number): number | null => (block < 4 ? countOf(variant) : null);
  judges('checkpoint-cycles', [
    ['in one block', { startsOf, isLogged: loggedIn(7) }, 'fail', / 7 of 7 blocks; .* missing in 1 of 8 blocks$/],
    ['in half', { startsOf: () => [1, 4, 7], isLogged: loggedIn(4), countOf }, 'pass', / in 4 of 8 blocks$/],
    ['in five, with counters', few, 'fail', / 8 of 8 blocks; .* counters, .* in 5 of 8 blocks$/],
    ['in all, with counters', { ...few, isLogged: loggedIn(0) }, 'fail', / 8 of 8 .* in 8 of 8 blocks$/],
    ['in five, at phases that were drawn', { ...few, phaseSeconds: 30 }, 'not-assessed'],
    ['in five, with whole cycles', { ...few, countOf: (variant) => 4 + countOf(variant) }, 'not-assessed'],
    ['in five, with balanced counters', { ...few, countOf: () => 1 }, 'not-assessed'],
    ['in five, with few counters', { ...few, countOf: counted }, 'not-assessed'],
  ]);
});

describe('phases that were drawn', () => {
  const over = (phaseSeconds: number): World => ({ startsOf: () => [-4, 8], phaseSeconds });
  const uneven = (phaseSeconds: number): Case => [
    `${phaseSeconds} s of a cycle of 12 s, some of its parts more often`,
    over(phaseSeconds),
    'warn',
    new RegExp(`${phaseSeconds} s .* 12 s on .* 48 s`),
  ];
  judges('checkpoint-cycles', [
    ...[11, 12, 13, 24].map((phase): Case => [`${phase} s of a cycle of 12 s`, over(phase), 'pass']),
    ...[10, 18, 30].map(uneven),
    ['uneven, with a whole cycle in every trial', { startsOf: () => [1, 4, 7], phaseSeconds: 5 }, 'pass'],
  ]);
});

describe('trials without a whole cycle', () => {
  judges('checkpoint-cycles', [
    ['are named', { startsOf: () => [-4, 6] }, 'warn', / 10 s on .* 40 s, .*phaseSeconds: 10/],
    ['have drawn phases', { startsOf: () => [-4, 6], phaseSeconds: 10 }, 'pass'],
    ['have no checkpoint', no, 'pass'],
  ]);

  it('do not get the advice to warm up for longer', async () => {
    const { result } = await changedSample({ blocks: 8, trialSeconds }, ({ trials }) => {
      for (const { facts, measures } of trials) {
        measures['seconds.startRatio'] = 0.7;
        facts.checkpoints = facts.checkpoints?.slice(0, 1);
      }
    });
    const check = primaryOf(result).checks.find(({ id }) => id === 'warm-up');
    expect(check).toMatchObject({ state: 'warn', finding: expect.stringMatching(/for whole cycles$/) as string });
  });
});

describe('the pace of checkpoints', () => {
  const startsOf = (): number[] => [0.1, 2.1, 4.1, 6.1, 8.1];
  const lasts = (variant: string): number => (variant === candidate ? 1.98 : 1.8);
  const distanceMib = (variant: string): number => (variant === candidate ? 166 : 96);
  const hasLog = (variant: string): boolean => variant === candidate;
  judges('checkpoint-pace', [
    ['one side leaves no pause', { startsOf, lasts }, 'warn', /^on with-log-volume only, .* 1%/],
    ['both leave a pause', { startsOf, lasts: () => 1.8 }, 'pass'],
    ['one side leaves none, the other has no log', { startsOf, lasts, isLogged: hasLog }, undefined],
    ['both leave none', { startsOf, lasts: () => 1.98 }, 'warn', /^on both sides, .*9\d% .* 9\d% /],
    ['one cycle holds too much WAL', { startsOf, distanceMib }, 'warn', /^on with-log-volume only, .* 166 .*128 /],
    ['both cycles do', { startsOf, distanceMib: () => 166 }, 'pass'],
  ]);
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
