import { expect, it } from 'vitest';
import { largestPart, whyParagraph } from '../../runner/report/sections/why-words.ts';
import { explained, explainedLatencies, explanation } from '../helpers/samples/explained.ts';

it('where the time of a transaction goes is said', async () => {
  const texts = [
    ...Object.entries(explained).map(([name, of]) => [name, whyParagraph(of, []), largestPart(of)]),
    ...Object.entries(explainedLatencies).map(([name, of]) => [name, whyParagraph(explanation, [of])]),
  ].map(([name, ...said]) => [`===== ${name}`, ...said.filter((text) => text !== '')].join('\n'));
  await expect(texts.join('\n\n').concat('\n')).toMatchFileSnapshot('answers/explanations.txt');
});
