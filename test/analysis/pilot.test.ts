import { describe, expect, it } from 'vitest';
import { isCrossedOver } from '../../runner/contract/plan.ts';
import { judgePilot } from '../../runner/analysis/pilot.ts';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import { crossedSample } from '../helpers/samples/crossed-sample.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

const asked = { effect: 0.05, power: 0.8 };

/** The experiment of a pilot, planned anew. */
function planned({ definition }: { definition: Experiment }, protocol: Partial<Experiment['protocol']> = {}) {
  return { ...definition, protocol: { ...definition.protocol, ...protocol } };
}

describe('a pilot', () => {
  it('is planned by with more spread than it has', async () => {
    const pilot = await sampleResult({ blocks: 6 });
    const [found] = judgePilot(pilot, planned(pilot.experiment), asked);
    expect(found).toMatchObject({ candidate: 'with-log-volume', control: false, blocks: 6 });
    expect((found?.spreadAtMost ?? 0) / (found?.spread ?? 0)).toBeCloseTo(Math.sqrt(5 / 2.343), 2);
    expect(found?.blocksNeeded).toBe(6);
    expect(found?.powerOfEquivalence).toBeGreaterThan(0.5);
  });

  it('gives the same answer twice, whatever order is drawn', async () => {
    const pilot = await sampleResult({ blocks: 6 });
    const [one, other] = [1, 2].map((seed) => judgePilot(pilot, planned(pilot.experiment, { seed }), asked));
    expect(one).toEqual(other);
  });

  it('that was crossed over spreads on the same hosts only', async () => {
    const { result } = await crossedSample({ blocks: 18 });
    const own = judgePilot(result, planned(result.experiment), asked)[0];
    // The second host is a tenth faster.
    for (const { period, conditions, measures } of result.trials) {
      if (isCrossedOver(period ?? 1) && conditions.variant === 'with-log-volume')
        measures.tps = (measures.tps ?? 0) * 1.1;
    }
    const shifted = judgePilot(result, planned(result.experiment), asked)[0];
    expect(shifted?.spread).toBeCloseTo(own?.spread ?? NaN, 9);
    expect(own?.blocksNeeded).toBe(18);
  });

  it('says of a control how many blocks show it to be equivalent', async () => {
    const pilot = await sampleResult({ blocks: 6 });
    const { definition } = pilot.experiment;
    const baseline = definition.variants['without-log-volume'];
    if (!baseline) throw new Error('no baseline');
    const experiment = {
      ...planned(pilot.experiment),
      variants: { ...definition.variants, 'with-log-volume': baseline },
    };
    expect(judgePilot(pilot, experiment, asked)[0]).toMatchObject({ control: true, blocksNeeded: 6 });
  });

  it('of one block tells no spread', async () => {
    const pilot = await sampleResult({ blocks: 1 });
    expect(judgePilot(pilot, planned(pilot.experiment), asked)[0]).toMatchObject({
      blocks: 1,
      spread: null,
      spreadAtMost: null,
      blocksNeeded: null,
    });
  });

  it('cannot plan for a change that the rule calls equivalent, nor for a design that gets no verdict', async () => {
    const pilot = await sampleResult({ blocks: 6 });
    expect(() => judgePilot(pilot, planned(pilot.experiment), { ...asked, effect: 0.02 })).toThrow(
      /--effect 0\.02: decision\.practicalThreshold is 0\.05, .*an effect of 0\.05 or more, or set the threshold to 0\.02 or less/,
    );
    expect(() => judgePilot(pilot, planned(pilot.experiment, { order: 'fixed' }), asked)).toThrow(
      /this experiment gets no verdict, whatever the number of blocks: the order is fixed/,
    );
  });
});
