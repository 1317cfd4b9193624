import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MeasureStep } from '../../runner/contract/plan.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { drawPhases } from '../../runner/experiment/plan/draws.ts';
import { makePlan } from '../../runner/experiment/plan/plan.ts';
import { renderPlan } from '../../runner/report/terminal/plan-text.ts';

const { experiment } = loadExperiment('quick', {
  folder: path.resolve(import.meta.dirname, '../..'),
  profile: 'local',
});

function planWith(protocol: Partial<typeof experiment.protocol>) {
  return makePlan({ ...experiment, protocol: { ...experiment.protocol, warmUpSeconds: 7, ...protocol } }, 'local');
}

function measureSteps(plan: ReturnType<typeof planWith>): MeasureStep[] {
  return plan.steps.filter((step) => step.kind === 'measure');
}

describe('the phases of the blocks', () => {
  const drawn = fc.record({
    blocks: fc.integer({ min: 1, max: 40 }),
    phaseSeconds: fc.integer({ min: 0, max: 900 }),
    seed: fc.nat(0xffffffff),
  });

  it('are whole seconds from 0 to phaseSeconds, and the same for the same seed', () => {
    fc.assert(
      fc.property(drawn, (protocol) => {
        const phases = drawPhases(protocol);
        expect(phases).toHaveLength(protocol.blocks);
        for (const seconds of phases) {
          expect(Number.isInteger(seconds) && seconds >= 0 && seconds <= Math.max(0, protocol.phaseSeconds - 1)).toBe(
            true,
          );
        }
        expect(drawPhases(protocol)).toEqual(phases);
      }),
    );
  });

  it('of every six blocks lie in six different parts of the cycle', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.nat(0xffffffff), (groups, seed) => {
        const phases = drawPhases({ blocks: 6 * groups, phaseSeconds: 600, seed });
        for (let group = 0; group < groups; group++) {
          const parts = phases.slice(6 * group, 6 * group + 6).map((seconds) => Math.floor(seconds / 100));
          expect([...parts].sort()).toEqual([0, 1, 2, 3, 4, 5]);
        }
      }),
    );
  });

  it('are uniform in each block, and independent between neighbours but for the strata', () => {
    const seeds = 3000;
    const counts = [Array(10).fill(0), Array(10).fill(0)] as number[][];
    for (let seed = 0; seed < seeds; seed++) {
      const phases = drawPhases({ blocks: 7, phaseSeconds: 100, seed });
      for (const [index, block] of [0, 6].entries()) {
        const tenth = Math.floor((phases[block] ?? 0) / 10);
        const row = counts[index] ?? [];
        row[tenth] = (row[tenth] ?? 0) + 1;
      }
    }
    // Five standard deviations of a count.
    for (const count of counts.flat()) expect(Math.abs(count - seeds / 10)).toBeLessThan(5 * Math.sqrt(seeds * 0.09));
  });
});

describe('a plan with phaseSeconds', () => {
  const plan = planWith({ phaseSeconds: 20, seed: 1 });

  it('gives all trials of a block one warm-up, and the blocks different ones', () => {
    const warmUps = new Map<number, Set<number>>();
    for (const { block, warmUpSeconds } of measureSteps(plan)) {
      warmUps.set(block, new Set([...(warmUps.get(block) ?? []), warmUpSeconds]));
    }
    for (const seconds of warmUps.values()) expect(seconds.size).toBe(1);
    expect(new Set([...warmUps.values()].flatMap((seconds) => [...seconds])).size).toBeGreaterThanOrEqual(4);
  });

  it('expects what the warm-ups really take', () => {
    const without = planWith({ phaseSeconds: 0, seed: 1 });
    const extra = measureSteps(plan).reduce((sum, { warmUpSeconds }) => sum + warmUpSeconds - 7, 0);
    expect(extra).toBeGreaterThan(0);
    expect(plan.expectedSeconds).toBe((without.expectedSeconds ?? 0) + extra);
  });

  it('is shown with the range of its warm-ups', () => {
    const shortest = Math.min(...measureSteps(plan).map(({ warmUpSeconds }) => warmUpSeconds));
    const text = stripVTControlCharacters(renderPlan(plan, null, { columns: 200 }));
    expect(text).toMatch(new RegExp(`warm-up ${shortest}.s to \\d+.s, drawn per block`));
    const fixed = renderPlan(planWith({ phaseSeconds: 0 }), null, { columns: 200 });
    expect(fixed).toMatch(/warm-up 7.s; /);
  });
});
