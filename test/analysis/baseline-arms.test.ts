import { describe, expect, it } from 'vitest';
import type { Comparison } from '../../runner/contract/comparison.ts';
import { compare } from '../helpers/samples/compared-blocks.ts';
import { trial, unfinishedTrial } from '../helpers/samples/measured-trial.ts';

/** Eight blocks whose noise is the same for all variants, so that factors decide. */
function compareWithControl(
  factors: { with: number; control: number },
  { noise = 0.01, controls = ['control'], lost = 0 }: { noise?: number; controls?: string[]; lost?: number } = {},
): Comparison[] {
  const wave = (block: number, phase: number): number => 1 + noise * Math.sin(2.3 * block + phase);
  const trials = Array.from({ length: 8 }, (_, index) => [
    trial('without', index + 1, { tps: 1000 * wave(index, 0) }),
    trial('with', index + 1, { tps: 1000 * factors.with * wave(index, 2) }),
    index < lost
      ? unfinishedTrial('control', index + 1)
      : trial('control', index + 1, { tps: 1000 * factors.control * wave(index, 4) }),
  ]).flat();
  return compare(trials, { variants: ['without', 'with', 'control'], controls }).comparisons;
}

/** What the check against the control says: its state, and the numbers of its finding. */
const againstControl = ([candidate]: readonly Comparison[]) =>
  candidate?.checks.map(({ id, state, finding }) => [id, state, ...(finding.match(/[+−][\d.]+/g) ?? [])]);

describe('a candidate beside a control', () => {
  it('is better if it is so against the baseline and against the control', () => {
    const found = compareWithControl({ with: 1.2, control: 1 });
    expect(found[0]).toMatchObject({ verdict: 'better', candidate: { variant: 'with' } });
    const [check] = againstControl(found) ?? [];
    expect(check).toEqual([
      'against-the-control',
      'pass',
      expect.stringMatching(/18\.\d/),
      expect.stringMatching(/21\.\d/),
    ]);
  });

  it('is not better by what makes the control faster, too, although no control fails', () => {
    expect(compareWithControl({ with: 1.03, control: 1.03 })[1]).toMatchObject({
      candidate: { variant: 'control' },
      verdict: 'equivalent',
    });
    const far = compareWithControl({ with: 1.062, control: 1.035 }, { noise: 0.005 });
    expect(far[0]).toMatchObject({ verdict: 'better' });
    const near = compareWithControl({ with: 1.043, control: 1.035 }, { noise: 0.03 });
    expect(near[0]?.interval?.low).toBeGreaterThan(0);
    expect(near[0]?.verdict).toBe('inconclusive');
    expect(near[0]).not.toHaveProperty('blocksToSettle');
    expect(againstControl(near)?.[0]?.[1]).toBe('warn');
  });

  it('must clear what the control differs by, and the finding says both', () => {
    const found = compareWithControl({ with: 1.05, control: 1.035 }, { noise: 0.008 });
    expect(found[1]?.interval?.low).toBeGreaterThan(0);
    expect(found[0]?.interval?.low).toBeLessThan(found[1]?.interval?.high ?? 0);
    expect(found[0]?.verdict).toBe('inconclusive');
    expect(againstControl(found)?.[0]?.slice(1).join(' ')).toMatch(/^warn \+2\.\d \+4\.\d$/);
  });

  it('is worse where a control is faster: that is the other direction', () => {
    expect(compareWithControl({ with: 0.9, control: 1.02 })[0]?.verdict).toBe('worse');
  });

  it('is equivalent only if it is so to both', () => {
    expect(compareWithControl({ with: 1, control: 1 })[0]?.verdict).toBe('equivalent');
    const apart = compareWithControl({ with: 0.98, control: 1.03 }, { noise: 0.004 });
    expect(compareWithControl({ with: 0.98, control: 1.03 }, { noise: 0.004, controls: [] })[0]?.verdict).toBe(
      'equivalent',
    );
    expect(apart[0]?.verdict).not.toBe('equivalent');
  });

  it('has no verdict where the control has too few blocks to be compared with', () => {
    const found = compareWithControl({ with: 1.2, control: 1 }, { lost: 3 });
    expect(found[0]?.verdict).toBe('inconclusive');
    expect(againstControl(found)?.[0]?.slice(1)).toEqual(['warn']);
  });
});
