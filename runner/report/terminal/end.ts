import picocolors from 'picocolors';
import type { Comparison } from '../../contract/comparison.ts';
import { withNoun } from '../../contract/format.ts';
import type { Result } from '../../contract/result.ts';
import { besideNote } from '../answer/beside-words.ts';
import { scopeWordsOf } from '../answer/change-words.ts';
import { isClaim } from '../answer/claims.ts';
import { judgedIn, shortAnswer } from './end-answer.ts';
import { doubtWords } from '../doubts.ts';
import type { TerminalOptions } from '../media/terminal-table.ts';
import { cutTo, hanging, wrap } from '../media/wrap.ts';
import { ratioWords } from '../metric-words.ts';
import { type Reported, reported } from '../reported.ts';
import { worthIn } from '../sections/costs.ts';
import { whyInBrief } from '../sections/why-words.ts';
import { comparedRows, otherRows } from './end-rows.ts';

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
  const of = reported(result);
  const head = [...wrap(result.experiment.question, columns), '', ...answerLines(of, { ...options, columns })];
  const doubts = doubtsOf(of).map((doubt) => shortened(hanging('  ! ', doubt, columns), maxLinesOfDoubt, columns));
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
  add({ group: 'rows', lines: comparedRows(of, columns, room - 1) });
  const worse = otherRows(of, 'worse', columns);
  const facts = [
    worse.slice(0, 3),
    priceLines(of, columns),
    otherRows(of, 'better', columns).slice(0, 2),
    timeLines(of, columns),
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
  const of = reported(result);
  const grave = of.doubts.filter(({ effect }) => effect === 'answer').map(doubtWords);
  const doubts = grave
    .slice(0, maxDoubts)
    .flatMap((doubt) => shortened(hanging('  ! ', doubt, columns), maxLinesOfDoubt, columns));
  return `${[...answerLines(of, { ...options, columns }), ...doubts].join('\n')}\n`;
}

const maxDoubts = 3;
const maxLinesOfDoubt = 2;
const maxLinesOfHeadline = 4;

function answerLines(of: Reported, { columns, colour }: TerminalOptions): string[] {
  const { bold, green, red } = picocolors.createColors(colour);
  const { headline, lead, verdict } = shortAnswer(of);
  const dress = verdict === 'better' ? green : verdict === 'worse' ? red : (text: string) => text;
  const lines = shortened(hanging('  ', headline, columns), maxLinesOfHeadline, columns);
  return [...lines.map((line) => bold(dress(line))), ...shortened(hanging('  ', lead, columns), 2, columns)].filter(
    (line) => line.trim() !== '',
  );
}

/** The gravest first. What the answer holds for comes after what could change it. */
function doubtsOf(of: Reported): string[] {
  const compared = judgedIn(of).judged.map((one) => one.of);
  const beside = [...new Set(compared.map((one) => besideNote(one).trim()))];
  const said = new Set(compared.flatMap(({ withheld }) => withheld.map(({ id }) => id)));
  const doubts = of.doubts.filter(({ id }) => !said.has(id));
  const grave = doubts.filter(({ effect }) => effect === 'answer');
  const others = doubts.filter(({ effect }) => effect !== 'answer');
  const scope = [...new Set(compared.filter(claims).map((one) => scopeWordsOf(one).remains))];
  return [...beside, ...grave.map(doubtWords), ...scope, ...others.map(doubtWords)].filter((text) => text !== '');
}

function claims({ verdict, change }: Comparison): boolean {
  return change !== null && isClaim(verdict);
}

function priceLines({ result }: Reported, columns: number): string[] {
  const [only, ...others] = worthIn(result.comparisons, result);
  if (!only || others.length > 0) return [];
  const { cost, perDollar } = only;
  const text = `${ratioWords(cost.value)} cost; TPS per dollar ${ratioWords(perDollar.value)}`;
  return shortened(hanging('  price    ', text, columns), 1, columns);
}

/** Where the time of a transaction goes, if one comparison explains it. */
function timeLines({ result: { explanations = [] } }: Reported, columns: number): string[] {
  const [only, ...others] = explanations.map(whyInBrief).filter(({ parts }) => parts.length > 0);
  if (!only || others.length > 0) return [];
  return shortened(hanging('  time     ', only.parts.join('; '), columns), 3, columns);
}

/** The first lines, with a mark if there are more. */
function shortened(lines: readonly string[], max: number, columns: number): string[] {
  if (lines.length <= max) return lines.map((line) => cutTo(line, columns));
  return lines
    .slice(0, max)
    .map((line, index) => (index === max - 1 ? cutTo(`${line} …`, columns) : cutTo(line, columns)));
}
