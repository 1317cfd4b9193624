import picocolors from 'picocolors';
import { nothing } from '../media/markup.ts';
import { wrap } from '../media/wrap.ts';
import { withNoun } from '../../contract/format.ts';
import { onFile, type SectionBlock, type Section } from './section.ts';
import type { Answer } from '../answer/statement.ts';

/** In a terminal: one sentence, however many answers, in the colour of its verdict. */
export const answerSection: Section = {
  id: 'lead',
  blocks: ({ lead }) => [answerBlock(lead)],
};

/** The answer over all with all that it rests on, and each by itself if there are several; a terminal has the first already. */
export const answersSection: Section = {
  id: 'answers',
  blocks: ({ lead, answers }) => {
    const { headline, evidence, remains } = lead;
    const text = [headline, evidence, remains].filter((part) => part !== '').join(' ');
    const { parts, ...each } = eachAnswer(answers.length > 1 ? answers : []);
    const titled =
      answers.length > 1 ? each : { title: 'The answer in full', summary: 'with its threshold and its scope' };
    return [{ ...titled, parts: [{ kind: 'paragraph', text, only: onFile }, ...parts] }];
  },
};

export function eachAnswer(answers: readonly Answer[]): SectionBlock {
  const items = answers.map(({ headline, evidence }) => `${headline} ${evidence}`);
  return {
    title: 'Answer for each comparison',
    summary: withNoun(answers.length, 'answer'),
    parts: [{ kind: 'list', items }],
  };
}

export function answerBlock({ headline, evidence, remains, verdict }: Answer): SectionBlock {
  const behind = [evidence, remains].filter((text) => text !== '').join(' ');
  return {
    parts: [
      {
        kind: 'own',
        terminal({ columns, colour }) {
          const colours = picocolors.createColors(colour);
          const dress = verdict === 'better' ? colours.green : verdict === 'worse' ? colours.red : colours.bold;
          return [...wrap(headline, columns).map((line) => dress(colours.bold(line))), ...wrap(behind, columns)];
        },
        markdown: () => [],
        page: () => nothing,
      },
    ],
  };
}
