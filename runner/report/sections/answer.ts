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

/** What a reader came for, in the largest letters, in the colour of its verdict. */
export const answerSection: Section = {
  id: 'answer',
  shownIn: everywhere,
  atEnd: {
    rank: 1,
    share: 0.5,
    brief: ({ view }) => [{ parts: headlines(view.answers) }],
  },
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

/** The verdicts without their evidence. Answers without a verdict are many at once, for the same reason. */
function headlines(answers: readonly Answer[]): Block['parts'] {
  const decided = answers.filter(({ verdict }) => verdict !== null && verdict !== 'descriptive');
  const named = decided.length > 0 ? decided : answers.slice(0, 1);
  const others = answers.length - named.length;
  const text = decided.length > 0 ? `${others} more have no verdict.` : `The other ${others} have no verdict either.`;
  return [
    ...named.flatMap((answer) => answerBlock({ ...answer, evidence: '' }).parts),
    { kind: 'paragraph', text: others > 0 ? text : '' },
  ];
}

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
