import picocolors from 'picocolors';
import { withNoun } from '../../contract/format.ts';
import type { Result } from '../../contract/result.ts';
import { isClaim } from '../answer/claims.ts';
import { type FirstScreen, firstScreen, maxDoubts, type ShownDoubt } from '../first-screen/model.ts';
import type { TerminalOptions } from '../media/terminal-table.ts';
import { cutTo, hanging, wrap } from '../media/wrap.ts';
import { reported } from '../reported.ts';
import { comparedRows, otherRows, priceLines, timeLines } from './end-rows.ts';

/** Lines of an end before those that say where the report is and what to do next: a screen of 24 holds both. */
const maxLines = 15;
/** Lines are no longer than this, however wide the terminal is: they are read, not scanned. */
const maxColumns = 80;

/** What is shown if there is room for it, the more important first. */
interface Chunk {
  group: 'rows' | 'facts' | 'doubts';
  lines: string[];
}

/** What is printed when a run ends, in at most fifteen lines: the answer first, then what may change it, then the rest. */
export function renderEnd(result: Result, options: TerminalOptions): string {
  const columns = Math.min(options.columns, maxColumns);
  const screen = firstScreen(reported(result));
  const { question, change, others: otherChanges } = screen;
  const head = [...wrap(question, columns), '', ...answerLines(screen, { ...options, columns })];
  const doubts = doubtLines(screen, columns);
  const [first, ...others] = doubts;
  const doubtChunks = (some: readonly string[][]): Chunk[] => some.map((lines) => ({ group: 'doubts', lines }));
  let room = maxLines - head.length;
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
    otherRows('worse', otherChanges.worse, columns),
    priceLines(screen, columns),
    otherRows('better', otherChanges.better.slice(0, maxBetter), columns),
    timeLines(screen, columns),
  ];
  for (const lines of facts) add({ group: 'facts', lines });
  for (const chunk of doubtChunks(others.slice(0, maxDoubts - 1))) add(chunk);
  const left = doubts.length - shown.filter(({ group }) => group === 'doubts').length;
  if (left > 0) add({ group: 'doubts', lines: [`    ${withNoun(left, 'more doubt')} in the report`] });
  const groups = (['rows', 'facts', 'doubts'] as const).map((name) =>
    shown.filter(({ group }) => group === name).flatMap(({ lines }) => lines),
  );
  return [head, ...groups.filter((lines) => lines.length > 0)].map((lines) => `${lines.join('\n')}\n`).join('\n');
}

/** The answer, and the doubts that could change it. */
export function renderQuietEnd(result: Result, options: TerminalOptions): string {
  const columns = Math.min(options.columns, maxColumns);
  const screen = firstScreen(reported(result));
  const grave = screen.doubts.filter(({ effect }) => effect === 'answer').map(doubtWords);
  const doubts = grave
    .slice(0, maxDoubts)
    .flatMap((doubt) => shortened(hanging('  ! ', doubt, columns), maxLinesOfDoubt, columns));
  return `${[...answerLines(screen, { ...options, columns }), ...doubts].join('\n')}\n`;
}

/** Metrics that changed for the better: fewer than those that got worse. */
const maxBetter = 2;
const maxLinesOfDoubt = 2;
const maxLinesOfHeadline = 4;
const maxLinesOfLead = 4;

function answerLines({ answer }: FirstScreen, { columns, colour }: TerminalOptions): string[] {
  const { bold, green, red } = picocolors.createColors(colour);
  const { headline, lead, basis, verdict } = answer;
  const dress = verdict === 'better' ? green : verdict === 'worse' ? red : (text: string) => text;
  const lines = shortened(hanging('  ', headline, columns), maxLinesOfHeadline, columns);
  return [
    ...lines.map((line) => bold(dress(line))),
    ...shortened(hanging('  ', `${lead} ${basis.brief}`.trim(), columns), maxLinesOfLead, columns),
  ].filter((line) => line.trim() !== '');
}

/** The gravest first. What the answer holds for comes after what could change it. */
function doubtLines({ doubts, remains, answer }: FirstScreen, columns: number): string[][] {
  const words = (effects: (effect: ShownDoubt['effect']) => boolean): string[] =>
    doubts.filter(({ effect }) => effects(effect)).map(doubtWords);
  const scope = isClaim(answer.verdict) ? [remains] : [];
  return [...words((effect) => effect === 'answer'), ...scope, ...words((effect) => effect !== 'answer')]
    .filter((text) => text !== '')
    .map((text) => shortened(hanging('  ! ', text, columns), maxLinesOfDoubt, columns));
}

function doubtWords({ mayChange, sentence }: ShownDoubt): string {
  return [mayChange, sentence].filter(Boolean).join(' ');
}

/** The first lines, with a mark if there are more. */
function shortened(lines: readonly string[], max: number, columns: number): string[] {
  if (lines.length <= max) return lines.map((line) => cutTo(line, columns));
  return lines
    .slice(0, max)
    .map((line, index) => (index === max - 1 ? cutTo(`${line} …`, columns) : cutTo(line, columns)));
}
