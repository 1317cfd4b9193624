import { blocksNeeded, maxBlocks } from '../../runner/analysis/blocks-needed.ts';
import type { Result } from '../../runner/contract/result.ts';
import { median, variance } from '../../runner/statistics/summaries.ts';
import { binomialInterval } from '../../runner/statistics/distributions.ts';
import { markdownOf, percent } from '../statistics/table.ts';

/** One experiment whose two variants are the same, as docs/reference/a-a-series.json keeps it. */
export interface Repeat {
  seed: number;
  startedAt: string;
  verdict: string | null;
  change: number | null;
  interval: { low: number; high: number; level: number } | null;
  /** Values of [a, a-again] in each block that counts. */
  tps: (readonly [number, number])[];
}

export interface Series {
  kind: 'pgduet-a-a-series';
  toolVersion: string;
  place: string;
  repeats: Repeat[];
}

/** @throws if the result does not compare the declared metric: something is wrong with the experiment then. */
export function repeatOf({ experiment, comparisons, startedAt }: Result): Repeat {
  const primary = comparisons.find((comparison) => comparison.primary);
  if (!primary) throw new Error('the result compares nothing');
  const { verdict, change, interval, pairs } = primary;
  return {
    seed: experiment.seed,
    startedAt,
    verdict,
    change,
    interval,
    tps: pairs.map(({ baseline, candidate }) => [baseline, candidate]),
  };
}

/** The series side by side, in Markdown, and every repeat of the last one. */
export function describeSeries(named: readonly { name: string; series: Series }[]): string {
  const rows: [words: string, value: (series: Series) => string][] = [
    ['repeats', ({ repeats }) => String(repeats.length)],
    ['called better or worse although nothing differs', ({ repeats }) => rateOf(repeats, isDifferent)],
    ['intervals that exclude zero', ({ repeats }) => rateOf(repeats, excludesZero)],
    ['called equivalent', ({ repeats }) => rateOf(repeats, ({ verdict }) => verdict === 'equivalent')],
    ['median width of the interval', ({ repeats }) => points(median(widths(repeats)))],
    ['median spread of a block’s log-ratio', ({ repeats }) => points(median(spreads(repeats)))],
    ['blocks that settle a difference of 5%', ({ repeats }) => blocksThatSettle(median(spreads(repeats)))],
  ];
  const last = named.at(-1)?.series;
  return [
    markdownOf({
      title: last ? `Place of the last series: ${last.place}.` : '',
      head: ['', ...named.map(({ name }) => name)],
      rows: rows.map(([words, value]) => [words, ...named.map(({ series }) => value(series))]),
    }),
    markdownOf({
      title: 'Its repeats:',
      head: ['seed', 'blocks', 'change', 'interval', 'level', 'verdict'],
      rows: (last?.repeats ?? []).map(({ seed, tps, change, interval, verdict }) => [
        String(seed),
        String(tps.length),
        change === null ? '–' : percent(change),
        interval ? `${percent(interval.low)} to ${percent(interval.high)}` : '–',
        interval ? percent(interval.level) : '–',
        verdict ?? 'none',
      ]),
    }),
  ].join('\n\n');
}

const isDifferent = ({ verdict }: Repeat): boolean => verdict === 'better' || verdict === 'worse';
const excludesZero = ({ interval }: Repeat): boolean => interval !== null && (interval.low > 0 || interval.high < 0);
const widths = (repeats: readonly Repeat[]): number[] =>
  repeats.flatMap(({ interval }) => (interval ? [interval.high - interval.low] : []));

/** Standard deviation of the log-ratio of a block, of every repeat that has several. */
function spreads(repeats: readonly Repeat[]): number[] {
  return repeats.flatMap(({ tps }) => {
    const spread = variance(tps.map(([a, again]) => Math.log(again / a)));
    return spread === null ? [] : [Math.sqrt(spread)];
  });
}

/**
 * With this number, four experiments in five find a difference as large as the threshold, and call equal variants
 * equivalent.
 */
function blocksThatSettle(spread: number | null): string {
  if (spread === null) return '–';
  const [threshold, power] = [0.05, 0.8];
  const design = {
    decision: { level: 0.95, practicalThreshold: threshold },
    exchanges: 0,
    widest: null,
    comparisons: 1,
  };
  const found = blocksNeeded(spread, { effect: Math.log(1 + threshold), verdict: 'better', power }, design);
  const excluded = blocksNeeded(spread, { effect: 0, verdict: 'equivalent', power }, design);
  return found === null || excluded === null ? `more than ${maxBlocks}` : String(Math.max(found, excluded));
}

/** With the interval of the rate by Clopper and Pearson, at 95%. */
function rateOf(repeats: readonly Repeat[], isOne: (repeat: Repeat) => boolean): string {
  const hits = repeats.filter(isOne).length;
  const interval = binomialInterval(hits, repeats.length, 0.95);
  return interval ? `${hits} of ${repeats.length} (${percent(interval.low)} to ${percent(interval.high)})` : 'none';
}

function points(width: number | null): string {
  return width === null ? '–' : `${(width * 100).toFixed(1)} points`;
}
