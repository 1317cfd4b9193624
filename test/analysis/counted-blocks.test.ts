import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countedBlocks } from '../../runner/analysis/pairs.ts';
import type { CheckState } from '../../runner/contract/check.ts';
import type { Level, Trial } from '../../runner/contract/trial.ts';
import { trial, unfinishedTrial } from '../helpers/samples/measured-trial.ts';

const variants = ['without', 'with', 'third'];
const sides = { baseline: 'without', candidate: 'with', level: {} };

type State = Trial['state'] | 'missing';

/** How a trial ended, finished in most cases; whether it was measured at all; and what a check found. */
const outcome = fc.record({
  state: fc.oneof(
    { weight: 6, arbitrary: fc.constant<State>('finished') },
    { weight: 1, arbitrary: fc.constantFrom<State>('failed', 'interrupted', 'missing') },
  ),
  check: fc.constantFrom<CheckState>('pass', 'warn', 'fail', 'not-assessed'),
});

/** Blocks with their attempts; each attempt has an outcome for each variant. */
const outcomes = fc.array(fc.array(fc.tuple(...variants.map(() => outcome)), { maxLength: 4 }), { maxLength: 6 });

function trialsOf(blocks: typeof outcomes extends fc.Arbitrary<infer T> ? T : never, level: Level = {}): Trial[] {
  return blocks.flatMap((attempts, block) =>
    attempts.flatMap((attempt, number) =>
      attempt.flatMap(({ state, check }, index): Trial[] => {
        const variant = variants[index] ?? '';
        const details = { level, attempt: number + 1, position: index + 1 };
        const checks = [
          { id: 'clock', name: 'clock', state: check, finding: '', outside: 'suspended-driver' as const },
        ];
        if (state === 'missing') return [];
        if (state === 'finished') return [trial(variant, block + 1, { tps: 1 }, { ...details, checks })];
        return [unfinishedTrial(variant, block + 1, { ...details, state })];
      }),
    ),
  );
}

/** Trials with random outcomes, in random order. */
const trials = outcomes.chain((blocks) =>
  fc.shuffledSubarray(trialsOf(blocks), { minLength: trialsOf(blocks).length }),
);

/** Attempts at a block in which both sides finished (`whole`), and those of them without a failed check (`sound`). */
function attemptsAt(block: number, all: readonly Trial[]): { whole: number[]; sound: number[] } {
  const attemptsOnSide = (variant: string, wanted: (one: Trial) => boolean): Set<number> =>
    new Set(
      all
        .filter((one) => one.block === block && one.conditions.variant === variant && one.state === 'finished')
        .filter(wanted)
        .map(({ attempt }) => attempt),
    );
  const attemptsOnBoth = (wanted: (one: Trial) => boolean): number[] => {
    const candidates = attemptsOnSide('with', wanted);
    return [...attemptsOnSide('without', wanted)].filter((attempt) => candidates.has(attempt));
  };
  return {
    whole: attemptsOnBoth(() => true),
    sound: attemptsOnBoth(({ checks }) => checks.every(({ state }) => state !== 'fail')),
  };
}

describe('blocks that count, whatever became of their attempts', () => {
  it('count once at most, in order, and each that does not is said to', () => {
    fc.assert(
      fc.property(trials, (all) => {
        const { counted, unknown, warnings } = countedBlocks(all, sides);
        const known = counted.map(({ block }) => block);
        const numbers = [...known, ...unknown.map(({ block }) => block)].sort((a, b) => a - b);
        expect(numbers).toEqual([...new Set(numbers)]);
        const others = [...new Set(all.map(({ block }) => block))].filter((block) => !numbers.includes(block));
        expect(warnings.map((text) => Number(/^Block (\d+) /.exec(text)?.[1]))).toEqual(others.sort((a, b) => a - b));
      }),
    );
  });

  it('count with one single attempt, in which both sides finished', () => {
    fc.assert(
      fc.property(trials, (all) => {
        for (const { block, attempt, baseline, candidate } of countedBlocks(all, sides).blocks) {
          const of = { block, attempt, state: 'finished' };
          expect(baseline).toMatchObject({ ...of, conditions: { variant: 'without' } });
          expect(candidate).toMatchObject({ ...of, conditions: { variant: 'with' } });
          expect([all.includes(baseline), all.includes(candidate)]).toEqual([true, true]);
        }
      }),
    );
  });

  it('count with the first sound attempt where there is one, else with the last whole one, unless they are unknown', () => {
    fc.assert(
      fc.property(trials, (all) => {
        const { counted: found, unknown } = countedBlocks(all, sides);
        const counted = new Map(found.map(({ block, attempt }) => [block, attempt]));
        for (const block of new Set(all.map((one) => one.block))) {
          if (unknown.some((one) => one.block === block)) continue;
          const { whole, sound } = attemptsAt(block, all);
          expect(counted.get(block)).toBe(sound.length > 0 ? Math.min(...sound) : whole.toSorted((a, b) => b - a)[0]);
        }
      }),
    );
  });

  it('are known only if no trial of either side was lost, or seen and given up, before the attempt that counts', () => {
    fc.assert(
      fc.property(trials, (all) => {
        for (const { block, attempt } of countedBlocks(all, sides).counted) {
          const before = all.filter((one) => one.block === block && one.attempt <= attempt);
          const own = before.filter(({ conditions: { variant } }) => ['without', 'with'].includes(variant));
          expect(own.filter(({ state }) => state === 'interrupted' || state === 'failed')).toEqual([]);
          // Each side finished in each attempt: otherwise the figures of one were seen and dropped.
          for (let number = 1; number <= attempt; number++) {
            const ended = own.filter((one) => one.attempt === number);
            expect(ended.length === 0 || ended.length === 2).toBe(true);
          }
        }
      }),
    );
  });

  it('are not changed by trials at another level', () => {
    fc.assert(
      fc.property(trials, outcomes, (all, others) => {
        const elsewhere = trialsOf(others, { clients: 8 });
        expect(countedBlocks([...elsewhere, ...all], sides)).toEqual(countedBlocks(all, sides));
      }),
    );
  });
});
