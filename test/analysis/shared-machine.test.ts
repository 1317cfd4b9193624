import { describe, expect, it } from 'vitest';
import { compareRun, isEnough } from '../../runner/analysis/compare-run.ts';
import { placeNamed } from '../../runner/places/registry.ts';
import { trial } from '../helpers/samples/measured-trial.ts';
import { recordSample } from '../helpers/samples/sample-result.ts';

const { experiment } = recordSample({ variants: { one: 1, two: 1 } }).run;
const [variant] = Object.values(experiment.definition.variants);
if (!variant) throw new Error('no variant');
const on = (service: string) => ({ ...variant, storage: { type: 'existing' as const }, server: { service } });
const definition = {
  ...experiment.definition,
  variants: { one: on('first'), two: on('second') },
  protocol: { ...experiment.definition.protocol, blocks: 30, until: 'verdict' as const },
};

/** A gain of a tenth, beside other programs that take more of the machine of the load beside the baseline. */
const trials = Array.from({ length: 6 }, (_, index) =>
  (['one', 'two'] as const).map((variant) => {
    const others = variant === 'one' ? 0.5 : 0.3;
    const tps = (variant === 'two' ? 110 : 100) * (1 + 0.004 * Math.sin(3 * index));
    return trial(variant, index + 1, { tps, 'driver.others': others, 'driver.own': 1 - others, 'driver.awake': 1 });
  }),
).flat();

describe('existing servers, beside other programs on the machine of the load', () => {
  it.each([
    { where: 'elsewhere lose nothing to them', kind: 'existing', verdict: 'better', undecided: undefined },
    {
      where: 'on it may have lost all of the difference',
      kind: 'existing-here',
      verdict: 'inconclusive',
      undecided: 'other-programs',
    },
  ])('$where, for the result and for a run that may stop', ({ kind, verdict, undecided }) => {
    const facts = {
      experiment: { ...experiment, definition },
      trials,
      steps: [],
      place: { kind },
      stoppedAfterBlock: 6,
    };
    const [primary] = compareRun(facts, { decision: definition.decision }).comparisons.filter((of) => of.primary);
    expect([primary?.verdict, primary?.undecided]).toEqual([verdict, undecided]);
    expect(isEnough(trials, definition, placeNamed(kind))).toBe(verdict === 'better');
  });
});
