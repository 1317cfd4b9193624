import { describe, expect, it } from 'vitest';
import type { Answer } from '../../runner/report/view/statement.ts';
import { viewResult } from '../../runner/report/view/view-model.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { fullRun } from '../helpers/samples/full-sample.ts';
import { sampleResult, type SampleOptions } from '../helpers/samples/sample-result.ts';

/** So many blocks that several candidates get verdicts. */
const blocks = 10;

async function leadOf(options: SampleOptions): Promise<Answer> {
  return viewResult(await sampleResult({ blocks, ...options })).lead;
}

describe('the answer that leads', () => {
  it('is the only one if there is only one', async () => {
    const { lead, answers } = viewResult(await sampleResult());
    expect([lead]).toEqual(answers);
  });

  it('names the best of several candidates, and counts the others', async () => {
    const lead = await leadOf({ variants: { base: 1, slow: 0.7, fast: 1.2, fastest: 1.5, same: 1.001 } });
    expect(lead.verdict).toBe('inconclusive');
    expect(lead.headline).toMatch(/^In this start, fastest is (49|5\d) % faster than base\.$/);
    expect(lead.evidence).toBe('Of four candidates: two better, one worse and one equivalent.');
  });

  it('has the colour of the answers if none contradicts another', async () => {
    expect(await leadOf({ variants: { base: 1, fast: 1.2, fastest: 1.5 } })).toMatchObject({ verdict: 'better' });
    expect(await leadOf({ variants: { base: 1, slow: 0.8, slowest: 0.5 } })).toMatchObject({
      verdict: 'worse',
      headline: 'Neither of the two candidates is shown to be better than base.',
    });
  });

  it('says once what no answer can show', async () => {
    const { remains } = await leadOf({ variants: { base: 1, fast: 1.2, fastest: 1.5 } });
    expect(remains.split('Another start').length - 1).toBe(1);
  });

  it('says once why there is no verdict if the reason is the same for all', async () => {
    const lead = await leadOf({ variants: { base: 1, fast: 1.2, fastest: 1.5 }, blocks: 2 });
    expect(lead.headline).toMatch(/^No verdict, only a description for either of the two candidates: .+\.$/);
  });

  it('numbers the candidates without the baseline, in the words of their number', async () => {
    const variants = { base: 1, fast: 1.2, faster: 1.3, fastest: 1.5 };
    const lead = await leadOf({ variants, blocks: 2 });
    expect(lead.headline).toMatch(/^No verdict, only a description for any of the three candidates: .+\.$/);
    expect(await leadOf({ variants: { base: 1, slow: 0.8, slower: 0.7, slowest: 0.5 } })).toMatchObject({
      headline: 'None of the three candidates is shown to be better than base.',
    });
  });

  it('speaks of levels if they are all that differs', async () => {
    const { lead } = viewResult((await fullRun([2, 4], blocks)).result);
    expect(lead.headline).toMatch(
      /^On these instances, with-log-volume is better than without-log-volume at both levels\.$/,
    );
    expect(lead.evidence).toMatch(/^TPS: \+[\d.]+ % at each level\.$/);
  });

  it('begins with a control that fails', async () => {
    const { result } = await changedSample({ blocks, variants: { base: 1, control: 1.3, fast: 1.6 } }, ({ run }) => {
      const { variants } = run.experiment.definition;
      if (variants['base']) variants['control'] = variants['base'];
      for (const { name, settings } of run.variants)
        if (name === 'base') Object.assign(run.variants[1] ?? {}, { settings });
    });
    const { lead } = viewResult(result);
    expect(lead.verdict).toBeNull();
    expect(lead.headline).toMatch(
      /^The control fails in this start: control has the same configuration as base, yet .+\.$/,
    );
  });
});
