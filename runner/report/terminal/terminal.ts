import picocolors from 'picocolors';
import type { Result } from '../../contract/result.ts';
import { sections } from '../sections/registry.ts';
import { type Block, blocksFor, blocksIn, type Part, reported } from '../sections/section.ts';
import { renderTable, type TerminalOptions } from '../media/terminal-table.ts';
import type { Comparison } from '../../contract/comparison.ts';
import { answerBlock, changesByBlock, comparisonBlocks } from '../sections/answer.ts';
import { answers } from '../view/answer.ts';
import type { AnswerContext } from '../view/statement.ts';
import { comparisonTables } from '../view/comparison-table.ts';
import { hanging, wrap } from '../media/wrap.ts';

/** What is printed at the end of a run. The rest is in the report. */
export function renderTerminal(result: Result, options: TerminalOptions): string {
  const of = reported(result);
  const question = { parts: [{ kind: 'paragraph' as const, text: of.view.question }] };
  const blocks = sections.flatMap((section) => blocksFor('terminal', section, of));
  return `${renderBlocks([question, ...blocks], options)}\n`;
}

/** Study 1's table for each candidate, with a title if there are several. Below it are the pairs that the estimate used. */
export function renderComparisons(comparisons: readonly Comparison[], options: TerminalOptions): string {
  const tables = comparisonTables(comparisons);
  return renderBlocks(
    blocksIn('terminal', [...comparisonBlocks(tables), ...changesByBlock(comparisons, tables)]),
    options,
  );
}

/** The answer for each candidate: a sentence, and the evidence for it. */
export function renderAnswers(
  comparisons: readonly Comparison[],
  context: AnswerContext,
  options: TerminalOptions,
): string {
  return renderBlocks(answers(comparisons, context).map(answerBlock), options);
}

/** Texts stay readable: a line has at most this many columns, however wide the terminal is. Tables may take all of it. */
const mostColumns = 100;

export function renderBlocks(blocks: readonly Block[], options: TerminalOptions): string {
  return blocks.map((block) => renderBlock(block, options)).join('\n\n');
}

function renderBlock({ title, isWarning = false, parts }: Block, options: TerminalOptions): string {
  const { bold } = picocolors.createColors(options.colour);
  const columns = Math.min(options.columns, mostColumns);
  return [
    ...(title === undefined ? [] : wrap(title, columns).map(bold)),
    ...parts.flatMap((part) => linesOf(part, { columns, isWarning, options })),
  ].join('\n');
}

interface Layout {
  /** Of a line of text. */
  columns: number;
  isWarning: boolean;
  options: TerminalOptions;
}

function linesOf(part: Part, { columns, isWarning, options }: Layout): string[] {
  const { bold, dim, yellow } = picocolors.createColors(options.colour);
  switch (part.kind) {
    case 'claim':
      return wrap(`${part.headline} ${part.evidence}`, columns);
    case 'paragraph': {
      const lines = part.lead === undefined ? wrap(part.text, columns) : hanging(part.lead, part.text, columns);
      return part.isQuiet ? lines.map(dim) : lines;
    }
    case 'list':
      return part.items
        .flatMap((item) => hanging(isWarning ? '! ' : '- ', item, columns))
        .map((line) => (isWarning ? line.replace(/^!/, (mark) => yellow(bold(mark))) : line));
    case 'terms': {
      const width = Math.max(...part.terms.map(([term]) => term.length)) + 2;
      return part.terms.flatMap(([term, words]) => hanging(term.padEnd(width), words, columns)).map(dim);
    }
    case 'table':
      return [renderTable(part.table, options)];
    case 'pictures':
      return [];
    case 'own':
      return part.terminal({ ...options, columns });
  }
}
