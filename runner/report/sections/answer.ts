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

/** Each answer with all that it rests on; in a terminal, only if there are several. */
export const answersSection: Section = {
  id: 'answers',
  blocks: ({ answers }) => {
    if (answers.length > 1) return [eachAnswer(answers)];
    const items = answers.map(({ headline, evidence, remains }) =>
      [headline, evidence, remains].filter(Boolean).join(' '),
    );
    return [
      {
        title: 'The answer in full',
        summary: 'with its threshold and its scope',
        parts: [{ kind: 'list', items, only: onFile }],
      },
    ];
  },
};

export function eachAnswer(answers: readonly Answer[]): SectionBlock {
  const items = answers.map(({ headline, evidence }) => `${headline} ${evidence}`);
  return { title: 'Each answer', summary: withNoun(answers.length, 'answer'), parts: [{ kind: 'list', items }] };
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
