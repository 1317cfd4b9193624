import picocolors from 'picocolors';
import type { Result } from '../../contract/result.ts';
import { sections } from '../sections/registry.ts';
import { type SectionBlock, blocksIn, drawnIn, type Part } from '../sections/section.ts';
import { renderTable, type TerminalOptions } from '../media/terminal-table.ts';
import type { Comparison } from '../../contract/comparison.ts';
import { answerBlock, eachAnswer } from '../sections/answer.ts';
import { hanging, wrap } from '../media/wrap.ts';
import { answers } from '../answer/answers.ts';
import { judgedAmong } from '../answer/headline.ts';
import { leadOf } from '../answer/lead.ts';
import type { AnswerContext } from '../answer/statement.ts';
import { changesByBlock, comparisonBlocks, comparisonTables } from '../sections/comparison.ts';
import { reported } from '../reported.ts';

/** Everything that a terminal can show of a run. */
export function renderTerminal(result: Result, options: TerminalOptions): string {
  const of = reported(result);
  const question = { parts: [{ kind: 'paragraph' as const, text: result.experiment.question }] };
  const blocks = drawnIn('terminal', sections, of).flatMap(({ drawn }) => drawn);
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

/** The answer over all candidates and levels, and below it each by itself, if there are several. */
export function renderAnswers(
  compared: readonly { comparisons: readonly Comparison[]; context: AnswerContext }[],
  options: TerminalOptions,
): string {
  const answered = compared.flatMap(({ comparisons, context }) => answers(comparisons, context));
  const controls = compared.flatMap(({ context }) => context.controls);
  const lead = leadOf(answered, judgedAmong(answered, controls));
  return renderBlocks([answerBlock(lead), ...(answered.length > 1 ? [eachAnswer(answered)] : [])], options);
}

/**
 * Texts stay readable: a line has at most this many columns, however wide the terminal is. Tables may take all of it. In
 * a pipe, nothing is wrapped.
 */
const maxColumns = 100;

export function renderBlocks(blocks: readonly SectionBlock[], options: TerminalOptions): string {
  return blocks.map((block) => renderBlock(block, options)).join('\n\n');
}

function renderBlock({ title, isWarning = false, parts }: SectionBlock, options: TerminalOptions): string {
  const { bold } = picocolors.createColors(options.colour);
  const columns = options.columns === Infinity ? Infinity : Math.min(options.columns, maxColumns);
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
    case 'from-series':
      return [];
    case 'own':
      return part.terminal({ ...options, columns });
  }
}
