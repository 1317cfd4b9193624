import type { Result } from '../../runner/contract/result.ts';
import { variance } from '../../runner/statistics/batches.ts';
import { binomialInterval } from '../../runner/statistics/binomial.ts';
import { median } from '../../runner/statistics/quantiles.ts';

/** One experiment whose two variants are the same, as docs/a-a-series.json keeps it. */
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

/** What the series says, in Markdown. */
export function describeSeries({ place, repeats }: Series): string {
  const n = repeats.length;
  const different = repeats.filter(({ verdict }) => verdict === 'better' || verdict === 'worse').length;
  const excluding = repeats.filter(({ interval }) => interval && (interval.low > 0 || interval.high < 0)).length;
  const widths = repeats.flatMap(({ interval }) => (interval ? [interval.high - interval.low] : []));
  const spreads = repeats.flatMap(({ tps }) => {
    const logRatios = tps.map(([a, again]) => Math.log(again / a));
    const spread = variance(logRatios);
    return spread === null ? [] : [Math.sqrt(spread)];
  });
  const head = '| seed | blocks | change | interval | level | verdict |\n| --: | --: | --: | --: | --: | :-- |';
  const rows = repeats.map(
    ({ seed, tps, change, interval, verdict }) =>
      `| ${seed} | ${tps.length} | ${change === null ? '–' : percent(change)} | ${interval ? `${percent(interval.low)} to ${percent(interval.high)}` : '–'} | ${interval ? percent(interval.level) : '–'} | ${verdict ?? 'none'} |`,
  );
  return [
    `${n} experiments on ${place}.`,
    [
      `- called better or worse although nothing differs: ${rateOf(different, n)}`,
      `- intervals that exclude zero: ${rateOf(excluding, n)}`,
      `- median width of the interval: ${points(median(widths))}; median spread of a block’s log-ratio: ${points(median(spreads))}`,
    ].join('\n'),
    [head, ...rows].join('\n'),
  ].join('\n\n');
}

function rateOf(hits: number, n: number): string {
  const interval = binomialInterval(hits, n, 0.95);
  return interval
    ? `${hits} of ${n} (95 % interval of the rate, Clopper-Pearson: ${percent(interval.low)} to ${percent(interval.high)})`
    : 'none';
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function points(width: number | null): string {
  return width === null ? '–' : `${(width * 100).toFixed(1)} points`;
}
