import picocolors from 'picocolors';
import { html } from '../html/markup.ts';
import { claim } from '../markdown-text.ts';
import { wrap } from '../terminal/wrap.ts';
import type { Answer } from '../view/statement.ts';
import { type Block, everywhere, type Section } from './section.ts';

/** What a reader came for, in the largest letters, in the colour of its verdict. */
export const answerSection: Section = {
  id: 'answer',
  shownIn: everywhere,
  styles: `
.answer { margin: 0 0 28px; }
.headline { font-size: 31px; font-weight: 650; line-height: 1.22; letter-spacing: -0.012em; margin: 0 0 10px; text-wrap: balance; }
.better .headline { color: var(--good); }
.worse .headline { color: var(--bad); }
.evidence { margin: 0; max-width: 44em; }
@media screen and (max-width: 640px) {
  .headline { font-size: 25px; }
}
`,
  blocks: ({ view }) => view.answers.map(answerBlock),
};

export function answerBlock({ headline, evidence, verdict }: Answer): Block {
  return {
    parts: [
      {
        kind: 'own',
        terminal({ columns, colour }) {
          const colours = picocolors.createColors(colour);
          const dress = verdict === 'better' ? colours.green : verdict === 'worse' ? colours.red : colours.yellow;
          return [...wrap(headline, columns).map((line) => dress(colours.bold(line))), ...wrap(evidence, columns)];
        },
        markdown: () => [claim({ headline, evidence })],
        page: () =>
          html`<div class="answer ${verdict ?? 'none'}">
            <p class="headline">${headline}</p>
            <p class="evidence">${evidence}</p>
          </div>`,
      },
    ],
  };
}
