import picocolors from 'picocolors';
import type { Result } from '../../contract/result.ts';
import { sections } from '../sections/registry.ts';
import { type SectionBlock, blocksIn, drawnIn, type Part } from '../sections/section.ts';
import { renderTable, type TerminalOptions } from '../media/terminal-table.ts';
import type { Comparison } from '../../contract/comparison.ts';
import { eachAnswer } from '../sections/answer.ts';
import { hanging, wrap } from '../media/wrap.ts';
import { answers } from '../answer/answers.ts';
import { judgedAmong } from '../answer/headline.ts';
import { leadOf } from '../answer/lead.ts';
import type { Answer, AnswerContext } from '../answer/statement.ts';
import { changesByBlock, comparisonBlocks, comparisonTables } from '../sections/comparison.ts';
import { reported } from '../reported.ts';
import { inColourOf, renderFirstScreen } from './end.ts';

/** Everything that a terminal can show of a run: the first screen, and below it the details. */
export function renderTerminal(result: Result, options: TerminalOptions): string {
  const of = reported(result);
  const blocks = drawnIn('terminal', sections, of).flatMap(({ drawn }) => drawn);
  return `${renderFirstScreen(of, options)}\n${renderBlocks(blocks, options)}\n`;
}

/** Study 1's table for each candidate, with a title if there are several. Below it are the pairs that the estimate used. */
export function renderComparisons(comparisons: readonly Comparison[], options: TerminalOptions): string {
  const tables = comparisonTables(comparisons);
  return renderBlocks(
    blocksIn('terminal', [...comparisonBlocks(tables), ...changesByBlock(comparisons, tables)]),
    options,
  );
}

/** The answer over all candidates and levels, and below it each by itself, if there are several. */
export function renderAnswers(
  compared: readonly { comparisons: readonly Comparison[]; context: AnswerContext }[],
  options: TerminalOptions,
): string {
  const answered = compared.flatMap(({ comparisons, context }) => answers(comparisons, context));
  const controls = compared.flatMap(({ context }) => context.controls);
  const lead = leadOf(answered, judgedAmong(answered, controls));
  const each = answered.length > 1 ? [renderBlocks([eachAnswer(answered)], options)] : [];
  return [leadLines(lead, options).join('\n'), ...each].join('\n\n');
}

function leadLines({ headline, evidence, remains, verdict }: Answer, options: TerminalOptions): string[] {
  const columns = columnsOfTexts(options);
  return [...wrap(headline, columns).map(inColourOf(verdict, options)), ...wrap(`${evidence} ${remains}`, columns)];
}

/**
 * Texts stay readable: a line has at most this many columns, however wide the terminal is. Tables may take all of it. In
 * a pipe, nothing is wrapped.
 */
const maxColumns = 100;

function columnsOfTexts({ columns }: TerminalOptions): number {
  return columns === Infinity ? Infinity : Math.min(columns, maxColumns);
}

export function renderBlocks(blocks: readonly SectionBlock[], options: TerminalOptions): string {
  return blocks.map((block) => renderBlock(block, options)).join('\n\n');
}

function renderBlock({ title, parts }: SectionBlock, options: TerminalOptions): string {
  const { bold } = picocolors.createColors(options.colour);
  const columns = columnsOfTexts(options);
  return [
    ...(title === undefined ? [] : wrap(title, columns).map(bold)),
    ...parts.flatMap((part) => linesOf(part, columns, options)),
  ].join('\n');
}

/** @param columns of a line of text */
function linesOf(part: Part, columns: number, options: TerminalOptions): string[] {
  const { dim } = picocolors.createColors(options.colour);
  switch (part.kind) {
    case 'paragraph': {
      const lines = part.lead === undefined ? wrap(part.text, columns) : hanging(part.lead, part.text, columns);
      return part.isQuiet ? lines.map(dim) : lines;
    }
    case 'list':
      return part.items.flatMap((item) => hanging('- ', item, columns));
    case 'terms': {
      const width = Math.max(...part.terms.map(([term]) => term.length)) + 2;
      return part.terms.flatMap(([term, words]) => hanging(term.padEnd(width), words, columns)).map(dim);
    }
    case 'table':
      return [renderTable(part.table, options)];
    case 'pictures':
    case 'from-series':
      return [];
    case 'own':
      return part.terminal({ ...options, columns });
  }
}
