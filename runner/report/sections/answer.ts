import picocolors from 'picocolors';
import { html } from '../media/markup.ts';
import { claim } from '../media/markdown-text.ts';
import { wrap } from '../media/wrap.ts';
import type { SectionBlock, Section } from './section.ts';
import type { Answer } from '../answer/statement.ts';

/** What a reader came for, in the largest letters, in the colour of its verdict: one sentence, however many answers. */
export const answerSection: Section = {
  id: 'answer',
  styles: `
.answer { margin: 0 0 16px; }
.headline { font-size: 27px; font-weight: 650; line-height: 1.2; letter-spacing: -0.012em; margin: 0 0 8px; text-wrap: balance; overflow-wrap: anywhere; }
.better .headline { color: var(--good); }
.worse .headline { color: var(--bad); }
.evidence { margin: 0; max-width: 44em; overflow-wrap: anywhere; }
@media screen and (max-width: 640px) {
  .headline { font-size: 23px; }
}
@media print {
  .headline { font-size: 15pt; }
}
`,
  blocks: ({ lead }) => [answerBlock(lead)],
};

/** Each answer by itself, if there are several. */
export const answersSection: Section = {
  id: 'answers',
  blocks: ({ answers }) => [eachAnswer(answers.length > 1 ? answers : [])],
};

export function eachAnswer(answers: readonly Answer[]): SectionBlock {
  const items = answers.map(({ headline, evidence }) => `${headline} ${evidence}`);
  return { title: 'Each answer', parts: [{ kind: 'list', items }] };
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
        markdown: () => [claim({ headline, evidence: behind })],
        page: () =>
          html`<div class="answer ${verdict ?? 'none'}">
            <p class="headline">${headline}</p>
            <p class="evidence">${behind}</p>
          </div>`,
      },
    ],
  };
}
