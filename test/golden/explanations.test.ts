import { expect, it } from 'vitest';
import type { Explanation } from '../../runner/contract/explanation.ts';
import type { Reported } from '../../runner/report/reported.ts';
import { blocksIn } from '../../runner/report/sections/section.ts';
import { timeSection } from '../../runner/report/sections/time.ts';
import { whyParagraph } from '../../runner/report/sections/why-words.ts';
import { renderBlocks } from '../../runner/report/terminal/terminal.ts';
import { explained, explainedLatencies, explanation } from '../helpers/samples/explained.ts';

/** The lines at a run's end. */
function brief(explanations: readonly Explanation[], columns = Infinity): string {
  const of = { result: { explanations } } as unknown as Reported;
  return renderBlocks(blocksIn('terminal', timeSection.blocks(of)), { columns, colour: false });
}

it('where the time of a transaction goes is said', async () => {
  const four = ['a', 'b', 'c', 'd'].map((candidate) => ({ ...explanation, candidate, conditions: {} }));
  const texts = [
    ...Object.entries(explained).map(([name, of]) => [name, whyParagraph(of, []), brief([of])]),
    ...Object.entries(explainedLatencies).map(([name, of]) => [name, whyParagraph(explanation, [of])]),
    ['four candidates', brief(four)],
    ['four candidates in 60 columns', brief(four, 60)],
  ].map(([name, ...said]) => [`===== ${name}`, ...said.filter((text) => text !== '')].join('\n'));
  await expect(texts.join('\n\n').concat('\n')).toMatchFileSnapshot('answers/explanations.txt');
});
