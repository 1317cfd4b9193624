import picocolors from 'picocolors';
import { withNoun } from '../../contract/format.ts';
import type { Comparison } from '../../contract/comparison.ts';
import type { Result } from '../../contract/result.ts';
import { isClaim } from '../answer/claims.ts';
import type { Basis } from '../answer/short-words.ts';
import { doubtWords, type FirstScreen, firstScreen, maxDoubts, type ShownDoubt } from '../first-screen/model.ts';
import type { Next } from '../first-screen/next.ts';
import type { TerminalOptions } from '../media/terminal-table.ts';
import { cutTo, hanging, wrap } from '../media/wrap.ts';
import { type Reported, reported } from '../reported.ts';
import { comparedRows, otherRows, priceLines, settleLines, takerLines, timeLines } from './end-rows.ts';

/** Lines are no longer than this, however wide the terminal is: they are read, not scanned. */
const maxColumns = 80;

/** How much of a first screen is printed. */
interface Limits {
  /** In all. */
  lines: number;
  /** Of the headline, and of what stands below it. */
  linesOfAnswer: number;
  basis: keyof Basis;
  doubts: number;
  linesOfDoubt: number;
  /** Metrics that changed for the better: fewer than those that got worse. */
  better: number;
  /** Kinds of time, besides their sum. */
  kinds: number;
}

/** A screen of 24 lines holds this, and below it where the report is and what to do next. */
const brief: Limits = {
  lines: 15,
  linesOfAnswer: 4,
  basis: 'brief',
  doubts: maxDoubts,
  linesOfDoubt: 2,
  better: 2,
  kinds: 2,
};

const whole: Limits = {
  lines: Infinity,
  linesOfAnswer: Infinity,
  basis: 'full',
  doubts: Infinity,
  linesOfDoubt: Infinity,
  better: Infinity,
  kinds: Infinity,
};

/** Lines of a text on a screen. */
interface Layout extends Limits {
  columns: number;
  colour: boolean;
}

function layoutOf(limits: Limits, { columns, colour }: TerminalOptions): Layout {
  return { ...limits, columns: Math.min(columns, maxColumns), colour };
}

/**
 * What is printed when a run ends, in at most fifteen lines: the answer first, then what may change it, then the rest.
 *
 * @param options.isAsked whether the question stands in the lines above, as in a log: then it is left out, with its lines
 */
export function renderEnd(
  result: Result,
  { isAsked = false, ...options }: TerminalOptions & { isAsked?: boolean },
): string {
  const screen = firstScreen(reported(result));
  return isAsked
    ? screenText({ ...screen, question: '' }, layoutOf({ ...brief, lines: brief.lines - 2 }, options))
    : screenText(screen, layoutOf(brief, options));
}

/** The answer, and the doubts that could change it. */
export function renderQuietEnd(result: Result, options: TerminalOptions): string {
  const layout = layoutOf(brief, options);
  const screen = firstScreen(reported(result));
  const doubts = screen.doubts.filter(({ effect }) => effect === 'answer').slice(0, maxDoubts);
  return `${[...answerLines(screen, layout), ...doubts.flatMap((doubt) => markedLines(doubtWords(doubt), layout))].join('\n')}\n`;
}

/** Where the report of a run is, and what to do next. A command that does not fit beside its words has a line of its own. */
export function renderLastLines(location: string, { words, command }: Next, columns: number): string {
  const mark = (label: string): string => `  ${label.padEnd(9)}`;
  const width = Math.min(columns, maxColumns);
  const purpose = words === '' ? '' : `${words}${command === '' ? '.' : ':'}`;
  const inOneLine = `${mark('Next')}${`${purpose} ${command}`.trim()}`;
  const next =
    inOneLine.length <= width
      ? [inOneLine]
      : [
          ...(purpose === '' ? [] : hanging(mark('Next'), purpose, width)),
          // In one piece, however long it is: it is to be copied.
          ...(command === '' ? [] : [`${mark(purpose === '' ? 'Next' : '')}${command}`]),
        ];
  return [`${mark('Report')}${location.replace(/\/$/, '')}/report.html`, ...next].join('\n');
}

/** All of the first screen, with a line on what was checked. */
export function renderFirstScreen(of: Reported, options: TerminalOptions): string {
  const screen = firstScreen(of);
  const layout = layoutOf(whole, options);
  const { made, unchecked } = screen.checks;
  const checks = `${made} ${unchecked}`.trim();
  const checkLines = checks === '' ? '' : `\n${hanging('    ', checks, layout.columns).join('\n')}\n`;
  return `${screenText(screen, layout)}${checkLines}`;
}

/** What is shown if there is room for it. */
interface Chunk {
  group: 'rows' | 'facts' | 'doubts';
  lines: string[];
}

/** What matters most is placed first, and printed in the order of reading. */
function screenText(screen: FirstScreen, layout: Layout): string {
  const { columns } = layout;
  const { question, change, others: otherChanges } = screen;
  const head = [...(question === '' ? [] : [...wrap(question, columns), '']), ...answerLines(screen, layout)];
  const doubts = doubtLines(screen, layout);
  const [first, ...others] = doubts;
  const doubtChunks = (some: readonly string[][]): Chunk[] => some.map((lines) => ({ group: 'doubts', lines }));
  let room = layout.lines - head.length;
  const shown: Chunk[] = [];
  const add = (chunk: Chunk): void => {
    const cost = chunk.lines.length + (shown.some(({ group }) => group === chunk.group) ? 0 : 1);
    if (chunk.lines.length === 0 || cost > room) return;
    shown.push(chunk);
    room -= cost;
  };
  for (const chunk of doubtChunks(first ? [first] : [])) add(chunk);
  add({ group: 'rows', lines: comparedRows(change, columns, room - 1) });
  const facts = [
    takerLines(screen, columns),
    settleLines(screen, columns),
    otherRows('worse', otherChanges.worse, columns),
    priceLines(screen, columns),
    otherRows('better', otherChanges.better.slice(0, layout.better), columns),
    timeLines(screen, columns, layout.kinds),
  ];
  for (const lines of facts) add({ group: 'facts', lines });
  for (const chunk of doubtChunks(others.slice(0, layout.doubts - 1))) add(chunk);
  const left = doubts.length - shown.filter(({ group }) => group === 'doubts').length;
  if (left > 0) add({ group: 'doubts', lines: [`    ${withNoun(left, 'more caveat')} in the report`] });
  const groups = (['rows', 'facts', 'doubts'] as const).map((name) =>
    shown.filter(({ group }) => group === name).flatMap(({ lines }) => lines),
  );
  return [head, ...groups.filter((lines) => lines.length > 0)].map((lines) => `${lines.join('\n')}\n`).join('\n');
}

function answerLines({ answer }: FirstScreen, layout: Layout): string[] {
  const { columns, linesOfAnswer } = layout;
  const { headline, lead, basis, verdict } = answer;
  return [
    ...shortened(hanging('  ', headline, columns), linesOfAnswer, columns).map(inColourOf(verdict, layout)),
    ...shortened(hanging('  ', `${lead} ${basis[layout.basis]}`.trim(), columns), linesOfAnswer, columns),
  ].filter((line) => line.trim() !== '');
}

/** How a headline stands out: bold, and in the colour of its verdict. */
export function inColourOf(verdict: Comparison['verdict'], { colour }: { colour: boolean }): (line: string) => string {
  const { bold, green, red } = picocolors.createColors(colour);
  const dress = verdict === 'better' ? green : verdict === 'worse' ? red : (text: string) => text;
  return (line) => bold(dress(line));
}

/** The gravest first. What the answer holds for comes after what could change it. */
function doubtLines({ doubts, remains, answer }: FirstScreen, layout: Layout): string[][] {
  const words = (effects: (effect: ShownDoubt['effect']) => boolean): string[] =>
    doubts.filter(({ effect }) => effects(effect)).map(doubtWords);
  const scope = isClaim(answer.verdict) ? [remains] : [];
  return [...words((effect) => effect === 'answer'), ...scope, ...words((effect) => effect !== 'answer')]
    .filter((text) => text !== '')
    .map((text) => markedLines(text, layout));
}

function markedLines(text: string, { columns, linesOfDoubt }: Layout): string[] {
  return shortened(hanging('  ! ', text, columns), linesOfDoubt, columns);
}

/** The first lines, with a mark if there are more. */
function shortened(lines: readonly string[], max: number, columns: number): string[] {
  if (lines.length <= max) return lines.map((line) => cutTo(line, columns));
  return lines
    .slice(0, max)
    .map((line, index) => (index === max - 1 ? cutTo(`${line} …`, columns) : cutTo(line, columns)));
}
