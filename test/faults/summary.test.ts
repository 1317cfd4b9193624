import { describe, expect, it } from 'vitest';
import { allCases } from './cases.ts';
import { plannedInjection } from './plan.ts';
import { type Outcome, summary } from './summary.ts';

const options = { minutes: 2, repeat: 'npm run lab -- faults --seed 1' };
const inMeasure = allCases.filter(
  ({ place, target, kind, phase }) => `${place} ${target} ${kind} ${phase}` === 'folders server KILL measure',
);

function outcome(number: number, more: Partial<Outcome> = {}): Outcome {
  const { draw: _, ...injection } = plannedInjection(1, number, inMeasure);
  return {
    ...{
      injection,
      what: 'killed postgres 1',
      missed: null,
      phase: 'measure',
      exitCode: 1,
      seconds: 10,
      violations: [],
    },
    ...more,
  };
}

const missed = (number: number): Outcome => outcome(number, { what: null, missed: 'it was over' });

describe('the summary', () => {
  it('does not count as a hit what did not hit, and says why', () => {
    const text = summary([outcome(1), outcome(2), missed(3)], options);
    expect(text).toContain('2 of 3 injections hit in 2.0 minutes; 1 did not (1: it was over).');
    expect(text).toMatch(/folders server {2}measure +2 \(1\)/);
  });

  it('names what repeats an injection that violated something', () => {
    const violated = outcome(7, { violations: [{ invariant: 'it ends', observed: 'still running' }] });
    const text = summary([outcome(1), violated], options);
    expect(text).toContain(
      'seed 1, number 7; repeat it: npm run lab -- faults --seed 1 --only 7\n    it ends: still running',
    );
    expect(text).toMatch(/^1 with a violated invariant\.$/m);
  });
});
