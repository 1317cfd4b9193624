import picocolors from 'picocolors';
import type { Comparison } from '../../contract/comparison.ts';
import { conditionsWords } from '../../contract/trial.ts';
import { type Answer, type AnswerContext, answers } from '../view/answer.ts';
import { comparisonTables } from '../view/comparison-table.ts';
import { pairsInWords } from '../view/pairs-table.ts';
import { renderTable, type TerminalOptions } from './terminal-table.ts';
import { hanging, noBreakSpace, wrap } from './wrap.ts';

/** Study 1's table for each candidate, with a title if there are several. Below it are the pairs that the estimate used. */
export function renderComparisons(comparisons: readonly Comparison[], options: TerminalOptions): string {
  const { bold, dim } = picocolors.createColors(options.colour);
  const tables = comparisonTables(comparisons);
  const pairs = comparisons
    .filter((comparison) => comparison.primary && comparison.pairs.length > 0)
    .map((comparison) => {
      const { candidate, baseline, conditions } = comparison;
      const of = tables.length > 1 ? ` of ${conditionsWords({ ...conditions, variant: candidate.variant })}` : '';
      return hanging(
        `Changes by block${of}: `,
        `${inOnePiece(pairsInWords(comparison))} against ${baseline.variant}.`,
        options.columns,
      )
        .map(dim)
        .join('\n');
    });
  return [
    ...tables.map((table) => {
      const text = renderTable(table, options);
      return tables.length > 1 ? `${wrap(table.title, options.columns).map(bold).join('\n')}\n${text}` : text;
    }),
    pairs.join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Keeps a block and its change on one line. */
function inOnePiece(list: string): string {
  return list.replaceAll(/(?<!,) /g, noBreakSpace);
}

/** The answer for each candidate: a sentence, and the evidence for it. */
export function renderAnswers(
  comparisons: readonly Comparison[],
  context: AnswerContext,
  options: TerminalOptions,
): string {
  return answers(comparisons, context)
    .map((answer) => renderAnswer(answer, options))
    .join('\n\n');
}

export function renderAnswer({ headline, evidence, verdict }: Answer, { columns, colour }: TerminalOptions): string {
  const colours = picocolors.createColors(colour);
  const dress = verdict === 'better' ? colours.green : verdict === 'worse' ? colours.red : colours.yellow;
  const lines = wrap(headline, columns).map((line) => dress(colours.bold(line)));
  return [...lines, ...wrap(evidence, columns)].join('\n');
}
