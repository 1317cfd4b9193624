import { describe, expect, it } from 'vitest';
import { outcomesUnwanted, type Unwanted } from '../../runner/cli/options.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { workingFolder } from '../helpers/samples/compared-sources.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

const { folder, save, saveOutputs } = workingFolder();
const exitCode = async (...words: string[]): Promise<number> =>
  (await runCommandLine(words, { workingFolder: folder(), columns: 100 })).exitCode;

describe('--fail-on', () => {
  it.each([
    ['withheld', { blocks: 2 }],
    ['worse', { variants: { base: 1, slow: 0.7 } }],
    ['inconclusive', { variants: { a: 1, b: 1 }, decision: { practicalThreshold: 0.001 } }],
  ] as const)('%s ends compare and report with 1 where a verdict is that, and only there', async (outcome, options) => {
    await save('there', await sampleResult(options));
    await save('elsewhere', await sampleResult({ variants: { base: 1, quick: 1.3 } }));
    for (const command of [
      ['compare', 'there', 'there'],
      ['report', 'there'],
    ]) {
      expect(await exitCode(...command)).toBe(0);
      expect(await exitCode(...command, '--fail-on', outcome)).toBe(1);
      expect(await exitCode(...command, '--fail-on', 'withheld,worse,inconclusive')).toBe(1);
    }
    expect(await exitCode('report', 'elsewhere', '--fail-on', 'withheld,worse,inconclusive')).toBe(0);
  });

  it('withheld holds for runs that can only be described', async () => {
    const [a, b] = [await saveOutputs('a', [100, 101]), await saveOutputs('b', [120, 121])];
    expect(await exitCode('compare', a, b)).toBe(0);
    expect(await exitCode('compare', a, b, '--fail-on', 'withheld')).toBe(1);
    expect(await exitCode('compare', a, b, '--fail-on', 'worse')).toBe(0);
  });

  it.each([
    ['compare', 'a', 'a'],
    ['report', 'a'],
    ['run', 'x'],
    ['load-run', 'x'],
  ])('refuses what is not an outcome, and names it: %s', async (...words) => {
    const { exitCode: code, stderr } = await runCommandLine([...words, '--fail-on', 'worse,slower'], { columns: 200 });
    expect(code).toBe(2);
    expect(stderr).toContain('"slower" is not an outcome. Choose from withheld, worse, inconclusive.');
  });

  it('leaves controls out beside others, and takes a result that judges nothing for withheld', async () => {
    const { comparisons } = await sampleResult({ variants: { base: 1, control: 0.7, quick: 1.3 }, blocks: 8 });
    expect(outcomesUnwanted(comparisons, ['worse'], [])).toEqual(['--fail-on worse: control against base.']);
    expect(outcomesUnwanted(comparisons, ['worse'], ['control'])).toEqual([]);
    expect(outcomesUnwanted([], ['withheld'], ['control'])).toEqual(['--fail-on withheld: no verdict was reached.']);
  });

  it.each([
    ['worse', { variants: { base: 1, control: 0.7 } }],
    ['worse', { variants: { base: 1, control: 1.3 } }],
    ['inconclusive', { variants: { base: 1, control: 1 }, decision: { practicalThreshold: 0.001 } }],
    ['withheld', { variants: { base: 1, control: 1 }, blocks: 2 }],
    [null, { variants: { base: 1, control: 1 } }],
  ] as const)('judges a control that is shown alone: %s of %j', async (outcome, options) => {
    const { comparisons } = await sampleResult(options);
    const named: Unwanted[] = ['withheld', 'worse', 'inconclusive'];
    for (const one of named) {
      expect(outcomesUnwanted(comparisons, [one], ['control'])).toEqual(
        one === outcome ? [`--fail-on ${one}: control against base, a control.`] : [],
      );
    }
  });

  it('judges a control that compare names beside others of its result', async () => {
    const { result } = await changedSample({ variants: { base: 1, again: 1.3, quick: 1.6 }, blocks: 8 }, ({ run }) => {
      const [base, again] = run.variants;
      const { variants } = run.experiment.definition;
      if (!base || !again || !variants['base']) throw new Error('a sample without a baseline');
      variants['again'] = variants['base'];
      again.settings = base.settings;
    });
    await save('a', result);
    expect(await exitCode('compare', 'a#base', 'a#again', '--fail-on', 'worse,inconclusive')).toBe(1);
    expect(await exitCode('compare', 'a#base', 'a#again', '--fail-on', 'withheld')).toBe(0);
    expect(await exitCode('compare', 'a', 'a', '--fail-on', 'worse')).toBe(0);
  });
});
