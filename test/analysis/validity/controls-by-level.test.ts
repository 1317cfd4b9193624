import { expect, it } from 'vitest';
import { applyControls } from '../../../runner/analysis/validity/judge-validity.ts';
import { recordSample } from '../../helpers/samples/sample-result.ts';
import { compare } from '../../helpers/samples/compared-blocks.ts';
import { trial } from '../../helpers/samples/measured-trial.ts';

const { definition } = recordSample({ variants: { without: 1, with: 1.2, control: 1 } }).run.experiment;
const [baseline, candidate] = [definition.variants['without'], definition.variants['with']];
const controlled = {
  ...definition,
  baseline: 'without',
  variants: { ...(baseline && { without: baseline, control: baseline }), ...(candidate && { with: candidate }) },
};
const levels = [1, 4, 16, 64].map((clients) => ({ clients }));

/** The verdicts on the candidate, by clients, where the control is faster by this factor at 16 clients. */
function verdictsWith(factor: number, blocks: number) {
  const trials = levels.flatMap((level) =>
    Array.from({ length: blocks }, (_, index) => {
      const wave = (phase: number): number => 1000 * (1 + 0.005 * Math.sin(2.3 * index + phase));
      const at = (variant: string, tps: number) => ({
        ...trial(variant, index + 1, { tps }),
        id: `${variant}-${index}-${level.clients}`,
        conditions: { variant, ...level },
      });
      const own = level.clients === 16 ? factor : 1;
      return [at('without', wave(0)), at('control', own * wave(2)), at('with', 1.2 * wave(4))];
    }).flat(),
  );
  const variants = ['without', 'with', 'control'];
  const { comparisons } = compare(trials, { variants, levels, controls: ['control'] });
  const judged = applyControls(
    comparisons.filter(({ primary }) => primary),
    controlled,
  );
  return {
    verdicts: judged.flatMap(({ candidate, verdict, conditions }) =>
      candidate.variant === 'with' ? [[conditions['clients'], verdict]] : [],
    ),
    levels: judged.flatMap(({ candidate, interval }) => (candidate.variant === 'control' ? [interval?.level] : [])),
  };
}

it('withholds the level at which a control differs from the baseline, and no other', () => {
  expect(verdictsWith(1.1, 9).verdicts).toEqual([
    [1, 'better'],
    [4, 'better'],
    [16, null],
    [64, 'better'],
  ]);
});

it('tests the controls of all levels at a level that they share', () => {
  expect(verdictsWith(1, 9).levels.map((level) => (level ?? 0) >= 1 - 0.05 / 4)).toEqual([true, true, true, true]);
});
