import picocolors from 'picocolors';
import type { Result } from '../../contract/result.ts';
import { sections } from '../sections/registry.ts';
import { type SectionBlock, blocksIn, drawnIn, type DrawnSection, type Part } from '../sections/section.ts';
import { renderTable, type TerminalOptions } from '../media/terminal-table.ts';
import type { Comparison } from '../../contract/comparison.ts';
import { answerBlock, answerSection, eachAnswer } from '../sections/answer.ts';
import { hanging, wrap } from '../media/wrap.ts';
import { answers } from '../answer/answers.ts';
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

/**
 * What is printed when a run ends: the answer first, and as much of the rest as there is room for. Its order is that of
 * the report.
 *
 * @param max lines
 */
export function renderEnd(result: Result, options: TerminalOptions, max: number): string {
  const of = reported(result);
  const lines = (blocks: readonly SectionBlock[]): string[] => renderBlocks(blocks, options).split('\n');
  const question = lines([{ parts: [{ kind: 'paragraph', text: result.experiment.question }] }]);
  const all = drawnIn('terminal', sections, of);
  const shown = new Map<DrawnSection, string[]>();
  let room = max - question.length;
  for (const section of all.toSorted((one, other) => rankOf(one) - rankOf(other))) {
    const { endScreen, drawn: whole, brief } = section;
    if (endScreen === undefined || whole.length === 0) continue;
    const { share } = endScreen;
    // An empty line comes before each section.
    const fits = (text: readonly string[], within: number): boolean => text.length + 1 <= within;
    const own = Math.floor(room * (share ?? 1));
    const shortest = brief && !fits(lines(whole), own) ? blocksIn('terminal', brief(of)) : whole;
    const text = share === undefined ? lines(shortest) : cutOff(lines(shortest), own - 1);
    if (shortest.length === 0 || !fits(text, own)) continue;
    shown.set(section, text);
    room -= text.length + 1;
  }
  const ordered = all.map((section) => shown.get(section)).filter((text) => text !== undefined);
  return `${[question, ...ordered].map((text) => text.join('\n')).join('\n\n')}\n`;
}

/** A section of which less would remain is not cut off, and so not shown. */
const minLines = 6;

const rankOf = ({ endScreen }: DrawnSection): number => endScreen?.rank ?? Infinity;

function cutOff(lines: string[], max: number): string[] {
  if (lines.length <= max || max < minLines) return lines;
  return [...lines.slice(0, max - 1), `… ${lines.length - max + 1} more lines in report.md`];
}

/** The answers alone. */
export function renderAnswersOf(result: Result, options: TerminalOptions): string {
  return `${renderBlocks(blocksIn('terminal', answerSection.blocks(reported(result))), options)}\n`;
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
  const lead = leadOf(
    answered,
    compared.flatMap(({ context }) => context.controls),
  );
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
