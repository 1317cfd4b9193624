import { levelWords } from '../../runner/contract/trial.ts';
import { chanceOfGroups, predictionInterval } from '../../runner/statistics/groups.ts';
import type { StartComparison, Starts } from './document.ts';
import { levelPercent } from '../../runner/contract/format.ts';
import { ratioFormat } from '../../runner/contract/format-change.ts';

const level = 0.95;

/**
 * The table of these runs, as Markdown: a row for each run, a column for each comparison, and what they show
 * together.
 */
export function tableOf({ experiment, profile, place, starts }: Starts): string {
  const columns = (starts[0]?.comparisons ?? []).map((one) => ({
    title: titleOf(one),
    of: starts.map(({ comparisons }) => comparisons.find((other) => titleOf(other) === titleOf(one)) ?? null),
  }));
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    `\`${experiment}\`, profile ${profile}, ${place}. Its blocks: [starts/${experiment}.json](starts/${experiment}.json).`,
    '',
    line(['run', ...columns.map(({ title }) => title)]),
    line(['--:', ...columns.map(() => ':--')]),
    ...starts.map(({ startedAt }, index) =>
      line([startedAt.slice(0, 16).replace('T', ' '), ...columns.map(({ of }) => cellOf(of[index] ?? null))]),
    ),
    line(['the next run, with its probability', ...columns.map(({ of }) => nextOf(of))]),
    line(['probability of such differences between runs', ...columns.map(({ of }) => chanceText(of))]),
    line(['intervals that contain the median change', ...columns.map(({ of }) => holding(of))]),
  ].join('\n');
}

function titleOf({ metric, baseline, candidate, conditions }: StartComparison): string {
  const at = levelWords(conditions);
  return `${metric}, ${candidate} against ${baseline}${at === '' ? '' : ` at ${at}`}`;
}

function cellOf(one: StartComparison | null): string {
  if (!one) return '–';
  const { change, interval, verdict } = one;
  const range = interval ? ` (${ratioFormat(null).range(interval.low, interval.high)})` : '';
  return `${ratioFormat(null).signed(change)}${range}${verdict === null ? '' : `, ${verdict}`}`;
}

function changesOf(of: readonly (StartComparison | null)[]): number[] {
  return of.flatMap((one) => one?.change ?? []);
}

function nextOf(of: readonly (StartComparison | null)[]): string {
  const found = predictionInterval(changesOf(of).map(Math.log1p), level);
  if (!found) return '–';
  return `${ratioFormat(null).range(Math.expm1(found.low), Math.expm1(found.high))}, ${levelPercent(found.level)}`;
}

function chanceText(of: readonly (StartComparison | null)[]): string {
  const chance = chanceOfGroups(
    of.flatMap((one) => (one ? [one.blocks.map(([before, after]) => after / before)] : [])),
  );
  return chance === null ? '–' : chance < 0.001 ? 'less than 0.1%' : levelPercent(chance);
}

function holding(of: readonly (StartComparison | null)[]): string {
  const sorted = changesOf(of).sort((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]];
  if (low === undefined || high === undefined) return '–';
  const intervals = of.flatMap((one) => one?.interval ?? []);
  const middle = (low + high) / 2;
  return `${intervals.filter((one) => one.low <= middle && middle <= one.high).length} of ${intervals.length}`;
}
