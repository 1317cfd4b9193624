import picocolors from 'picocolors';
import { list, nounFor, withNoun } from '../../contract/format.ts';
import type { AnswerOfHistory, History, RunOfHistory } from '../../contract/history.ts';
import { levelKey, levelWords } from '../../contract/trial.ts';
import { changesOf, metricNamed } from '../../metrics/catalogue.ts';
import type { TerminalOptions } from '../media/terminal-table.ts';
import { cutTo, hanging } from '../media/wrap.ts';

/** Columns of the axis: a range can be seen, and a line fits into 80. */
const axisWidth = 20;
/** Differences that are named below a run. */
const maxNamed = 3;

/** The runs of an experiment, a line each: when, the change, its range, the same on one axis, and the verdict. */
export function renderHistory(history: History, options: TerminalOptions): string {
  const questions = new Map<string, AnswerOfHistory>();
  for (const { answers } of history.runs) for (const answer of answers) questions.set(keyOf(answer), answer);
  const parts = [...questions.values()].map((question) => renderQuestion(history, question, options));
  return parts.join('\n');
}

function keyOf({ metric, baseline, candidate, conditions }: AnswerOfHistory): string {
  return JSON.stringify([metric, baseline, candidate, levelKey(conditions)]);
}

interface Line {
  run: RunOfHistory;
  answer: AnswerOfHistory;
  cells: [when: string, change: string, range: string, verdict: string];
}

function renderQuestion(
  { runs, next }: History,
  question: AnswerOfHistory,
  { columns, colour }: TerminalOptions,
): string {
  const { metric, baseline, candidate, conditions } = question;
  const lines = runs.flatMap((run) =>
    run.answers.filter((one) => keyOf(one) === keyOf(question)).map((answer) => lineOf(run, answer)),
  );
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map(({ cells }) => (cells[column] ?? '').length)));
  const draw = axisOf(lines.map(({ answer }) => answer));
  const { bold, dim } = picocolors.createColors(colour);
  const at = levelWords(conditions);
  const label = metricNamed(metric)?.label ?? metric;
  const title = `${label} of ${candidate} vs ${baseline}${at === '' ? '' : ` at ${at}`}, ${withNoun(lines.length, 'run')}`;
  const [when = 0, change = 0, range = 0, verdict = 0] = widths;
  const own = next.find((one) => one.candidate === candidate && levelKey(one.conditions) === levelKey(conditions));
  return [
    bold(title),
    '',
    `  ${' '.repeat(when + change + range + verdict + 8)}${dim(draw.scale)}`,
    ...lines.flatMap(({ run, answer, cells }) => [
      cutTo(
        `  ${cells[0].padEnd(when)}  ${cells[1].padStart(change)}  ${cells[2].padEnd(range)}  ${cells[3].padEnd(verdict)}  ${draw.row(answer)}`.trimEnd(),
        Math.max(columns, 60),
      ),
      ...notesOf(run, columns).map((text) => dim(text)),
    ]),
    ...(own
      ? ['', `  The next run like the last is expected between ${changesOf(metric).range(own.low, own.high)}.`]
      : []),
    '',
  ].join('\n');
}

function lineOf(run: RunOfHistory, answer: AnswerOfHistory): Line {
  const { metric, change, interval } = answer;
  const format = changesOf(metric, change);
  return {
    run,
    answer,
    cells: [
      run.startedAt.slice(0, 16).replace('T', ' '),
      change === null ? '' : format.signed(change),
      interval === null ? '' : `(${format.range(interval.low, interval.high)})`,
      stateOf(run, answer),
    ],
  };
}

function stateOf({ doubt, complete }: RunOfHistory, { change, verdict }: AnswerOfHistory): string {
  if (doubt !== null) return 'changed since';
  if (!complete && change === null) return 'not complete';
  return verdict ?? 'withheld';
}

/** What differs from the run before: below a run, since only runs like each other may be compared. */
function notesOf({ differences }: RunOfHistory, columns: number): string[] {
  if (differences.length === 0) return [];
  const named = differences
    .slice(0, maxNamed)
    .map(({ name, then, now }) => `${name} ${shortened(then)} → ${shortened(now)}`);
  const more = differences.length - named.length;
  const text = `${list(named)}${more > 0 ? `, and ${more} more ${nounFor(more, 'difference')}` : ''}`;
  return hanging('    from here on: ', text, Math.max(columns, 60));
}

function shortened(text: string): string {
  return cutTo(text, 24);
}

/** An axis on which a factor has the same width everywhere, with zero on it. */
function axisOf(answers: readonly AnswerOfHistory[]) {
  const width = axisWidth;
  const isRatio = metricNamed(answers[0]?.metric ?? '')?.compared !== 'difference';
  const scaled = (change: number): number => (isRatio ? Math.log1p(Math.max(change, -0.999)) : change);
  const ends = answers.flatMap(({ change, interval }) => [change ?? 0, interval?.low ?? 0, interval?.high ?? 0]);
  const [low, high] = [Math.min(0, ...ends.map(scaled)), Math.max(0, ...ends.map(scaled))];
  const place = (change: number): number =>
    high === low ? 0 : Math.round(((scaled(change) - low) / (high - low)) * (width - 1));
  const zero = place(0);
  return {
    scale: `${' '.repeat(zero)}0`.padEnd(width),
    row({ change, interval }: AnswerOfHistory): string {
      const cells = Array.from({ length: width }, (_, index): string => (index === zero ? '│' : ' '));
      if (interval) {
        for (let index = place(interval.low); index <= place(interval.high); index++) cells[index] = '─';
      }
      if (change !== null) cells[place(change)] = '●';
      return cells.join('');
    },
  };
}
