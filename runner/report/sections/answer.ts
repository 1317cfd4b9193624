import picocolors from 'picocolors';
import { html } from '../media/markup.ts';
import { claim } from '../media/markdown-text.ts';
import { noBreakSpace, wrap } from '../media/wrap.ts';
import type { Answer } from '../view/statement.ts';
import { type Block, everywhere, type Section, tableBlock } from './section.ts';
import type { Comparison } from '../../contract/comparison.ts';
import { conditionsWords } from '../../contract/trial.ts';
import { pairsInWords } from '../view/answer.ts';
import type { Table } from '../view/table.ts';

/** What a reader came for, in the largest letters, in the colour of its verdict: one sentence, however many answers. */
export const answerSection: Section = {
  id: 'answer',
  shownIn: everywhere,
  depth: 'card',
  navLabel: 'Answer',
  endScreen: { rank: 1 },
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
  blocks: ({ view }) => [answerBlock(view.lead)],
};

/** Each answer by itself, if there are several. */
export const answersSection: Section = {
  id: 'answers',
  shownIn: everywhere,
  endScreen: { rank: 10 },
  blocks: ({ view }) => [eachAnswer(view.answers.length > 1 ? view.answers : [])],
};

export function eachAnswer(answers: readonly Answer[]): Block {
  const items = answers.map(({ headline, evidence }) => `${headline} ${evidence}`);
  return { title: 'Each answer', parts: [{ kind: 'list', items }] };
}

export function answerBlock({ headline, evidence, remains, verdict }: Answer): Block {
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

/** Study 1's table for each candidate. In a terminal, a single one needs no title. */
export function comparisonBlocks(tables: readonly Table[]): Block[] {
  return tables.map((table) => tableBlock(table, tables.length > 1 ? {} : { titleIn: ['markdown', 'page'] }));
}

/** The pairs that the estimates used, in a line for each comparison that decides. */
export function changesByBlock(comparisons: readonly Comparison[], tables: readonly Table[]): Block[] {
  const deciding = comparisons.filter(({ primary, pairs }) => primary && pairs.length > 0);
  return [
    {
      parts: deciding.map((comparison) => {
        const { candidate, baseline, conditions } = comparison;
        const of = tables.length > 1 ? ` of ${conditionsWords({ ...conditions, variant: candidate.variant })}` : '';
        return {
          kind: 'paragraph',
          lead: `Changes by block${of}: `,
          text: `${inOnePiece(pairsInWords(comparison))} against ${baseline.variant}.`,
          isQuiet: true,
        };
      }),
    },
  ];
}

/** Keeps a block and its change on one line. */
function inOnePiece(list: string): string {
  return list.replaceAll(/(?<!,) /g, noBreakSpace);
}
