import { describe, expect, it } from 'vitest';
import type { Result } from '../../runner/contract/result.ts';
import { reported } from '../../runner/report/reported.ts';
import { answeredResult, answeredResults } from '../helpers/samples/answered-results.ts';
import { goldenResults } from '../golden/golden-results.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { tablesOf } from '../helpers/shown/section-tables.ts';
import { printedWords } from '../helpers/shown/printed-words.ts';

/** How they are said stands in test/golden/answers. */
async function answered(name: string): Promise<Result> {
  const found = answeredResults[name];
  if (!found) throw new Error(`no such result: ${name}`);
  return (await answeredResult(found)).result;
}

describe('answers', () => {
  it('are given for each candidate, and the only one leads', async () => {
    const { answers } = reported(await sampleResult({ variants: { base: 1, quick: 1.2, quicker: 1.4 } }));
    expect(answers.map(({ candidate }) => candidate)).toEqual(['quick', 'quicker']);
    const one = reported(await sampleResult());
    expect([one.lead]).toEqual(one.answers);
  });

  it.each([
    ['four candidates, of which one is worse', 'inconclusive'],
    ['a contrast was asked for', 'better'],
    ['two candidates, both worse', 'worse'],
    ['two candidates at two levels, all worse', 'worse'],
    ['two candidates at two levels, whose servers ended', null],
    ['its blocks are too few for two candidates', 'descriptive'],
    ['two candidates and a control that fails', null],
  ])('have, where %s, the colour over all of them: %s', async (name, verdict) => {
    expect(reported(await answered(name)).lead.verdict).toBe(verdict);
  });

  it('describe a contrast between two candidates, without verdict', async () => {
    const result = await answered('a contrast was asked for');
    expect(reported(result).answers.map(({ verdict }) => verdict)).toEqual(['better', 'better', null]);
    expect(tablesOf(result, 'comparison')).toHaveLength(3);
  });
});

describe.each(Object.entries(goldenResults))('the report of %s', (_, make) => {
  it('has the answer, and what it leaves open, in terminal, Markdown and HTML', async () => {
    const opened = await make?.();
    if (!opened) throw new Error('no such result');
    const { headline, evidence, remains } = reported(opened.result).lead;
    for (const [form, text] of Object.entries(await printedWords(opened)))
      for (const words of [headline, evidence, remains]) expect(text, form).toContain(words);
  });
});
