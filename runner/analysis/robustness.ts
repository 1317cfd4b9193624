import { type Comparison, pairWords, unitOf } from '../contract/comparison.ts';
import type { SeriesPoint } from '../contract/metric.ts';
import type { Robustness, Variation } from '../contract/robustness.ts';
import type { Trial } from '../contract/trial.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import { wholeSeconds } from '../metrics/whole-seconds.ts';
import { mean } from '../statistics/summaries.ts';
import type { SeriesSource } from '../storage/series.ts';
import { estimatePaired } from './estimate.ts';
import type { ComparedBy, ValuesOfPair } from './side-values.ts';

/** Part of a trial's whole seconds that counts as its start. */
const startOfTrial = 1 / 4;

/** The fewest seconds of a phase in a trial whose mean says something about the phase. */
const fewestSeconds = 2;

/** The fewest pairs of which one can be left out. */
const fewestPairs = 3;

/**
 * Estimates every change that decides in other ways than the planned one, with the same estimator. It reads the series
 * of the trials that count.
 */
export async function robustnessOf(
  comparisons: readonly Comparison[],
  trials: readonly Trial[],
  series: SeriesSource,
): Promise<Robustness[]> {
  const found: Robustness[] = [];
  for (const comparison of comparisons) {
    const { primary, change, baseline, candidate, conditions, pairs } = comparison;
    if (!primary || change === null || pairs.length < fewestPairs) continue;
    const estimate = estimatorOf(comparison);
    const variations = [
      planned(comparison, change),
      ...(await overTime(comparison, trials, series, estimate)),
      ...withoutPairs(comparison, change, estimate),
    ];
    found.push({ baseline: baseline.variant, candidate: candidate.variant, conditions, variations });
  }
  return found;
}

type Estimator = (
  pairs: readonly ValuesOfPair[],
  compared?: ComparedBy,
) => Pick<Variation, 'change' | 'interval' | 'pairs'>[];

/** None if the change cannot be calculated. */
function estimatorOf(comparison: Comparison): Estimator {
  const { metric, interval, unknownBlocks = [], unknownPairs = 0 } = comparison;
  // The planned interval allows for what unknown blocks would have shown. Others could not be told from it.
  const level = unknownBlocks.length + unknownPairs > 0 ? null : (interval?.level ?? null);
  const by = metricNamed(metric)?.compared ?? 'ratio';
  return (pairs, compared = by) => {
    // At the level of the planned interval, or above it: with few pairs, there may be none.
    const found = estimatePaired(pairs, compared, { level, unit: unitOf(comparison) });
    if (found.change === null) return [];
    return [{ change: found.change, interval: found.interval, pairs: pairs.length }];
  };
}

function planned({ interval, pairs }: Comparison, change: number): Variation {
  return { way: 'planned', change, interval, pairs: pairs.length };
}

/** Those that leave pairs out, or weigh them otherwise. */
function withoutPairs({ pairs, metric }: Comparison, change: number, estimate: Estimator): Variation[] {
  const distance = (one: number | null): number =>
    one === null ? Infinity : Math.abs(Math.log1p(one) - Math.log1p(change));
  const apart = pairs.map((pair) =>
    isRatio(metric) ? distance(pair.change) : Math.abs((pair.change ?? Infinity) - change),
  );
  const outlier = apart.indexOf(Math.max(...apart));
  const without = (index: number): ValuesOfPair[] => pairs.filter((_, other) => other !== index);
  const each = pairs.flatMap((_, index) => estimate(without(index)).map((found) => ({ ...found, index })));
  const farthest = each.reduce<(typeof each)[number] | undefined>(
    (most, one) => (most && Math.abs(most.change - change) >= Math.abs(one.change - change) ? most : one),
    undefined,
  );
  const nameOf = (index: number): string => {
    const pair = pairs[index];
    return pair ? pairWords(pair) : '';
  };
  return [
    ...estimate(without(outlier)).map((found): Variation => ({
      way: 'without-outlier',
      ...found,
      leftOut: nameOf(outlier),
    })),
    ...(isRatio(metric)
      ? estimate(pairs, 'totals').map((found): Variation => ({ way: 'totals', ...found, interval: null }))
      : []),
    ...(farthest && each.length === pairs.length
      ? [
          {
            way: 'leave-one-out' as const,
            change: farthest.change,
            interval: null,
            pairs: farthest.pairs,
            changes: each.map((one) => one.change),
            leftOut: nameOf(farthest.index),
          },
        ]
      : []),
  ];
}

function isRatio(metric: string): boolean {
  return metricNamed(metric)?.compared === 'ratio';
}

/** Those that take only some seconds of each trial. They need a metric that has a value for each second. */
async function overTime(
  comparison: Comparison,
  trials: readonly Trial[],
  series: SeriesSource,
  estimate: Estimator,
): Promise<Variation[]> {
  const { metric, pairs, trials: ids } = comparison;
  // A pair of several trials a side has no seconds of its own.
  if (metric !== 'tps' || ids.length !== pairs.length) return [];
  const known = new Map(trials.map((trial) => [trial.id, trial]));
  const seconds = async (id: string): Promise<Phases> => {
    const trial = known.get(id);
    return phasesOf(trial, wholeSeconds(trial ? (await series.read(trial)).get(metric) : []));
  };
  const sides: { baseline: Phases; candidate: Phases }[] = [];
  // One trial after another: the series of a long run do not fit into memory together.
  for (const { baseline, candidate } of ids) {
    sides.push({ baseline: await seconds(baseline), candidate: await seconds(candidate) });
  }
  const variation = (way: Variation['way'], phase: Exclude<keyof Phases, 'start'>): Variation[] => {
    const values = sides.flatMap(({ baseline, candidate }): ValuesOfPair[] => {
      const [before, after] = [baseline[phase], candidate[phase]];
      return before === null || after === null ? [] : [{ baseline: before, candidate: after }];
    });
    return values.length < fewestPairs ? [] : estimate(values).map((found) => ({ way, ...found }));
  };
  const most = Math.max(...sides.flatMap(({ baseline, candidate }) => [baseline.start, candidate.start]));
  return [
    ...variation('without-start', 'afterStart').map((found) => ({ ...found, seconds: most })),
    ...variation('during-checkpoints', 'during'),
    ...variation('between-checkpoints', 'between'),
  ];
}

/** Means of the seconds of one trial; null if there are too few of them. */
interface Phases {
  /** Seconds that `afterStart` leaves out. */
  start: number;
  afterStart: number | null;
  during: number | null;
  between: number | null;
}

function phasesOf(trial: Trial | undefined, points: readonly SeriesPoint[]): Phases {
  const start = Math.ceil(points.length * startOfTrial);
  const checkpoints = trial?.facts.checkpoints?.filter(({ restartpoint }) => !restartpoint);
  const isDuring = ({ second }: SeriesPoint): boolean =>
    checkpoints?.some(({ startedAt, endedAt }) => second + 1 > startedAt && second < (endedAt ?? Infinity)) ?? false;
  const meanOf = (some: readonly SeriesPoint[]): number | null =>
    some.length < fewestSeconds ? null : mean(some.map(({ value }) => value));
  return {
    start,
    afterStart: meanOf(points.slice(start)),
    during: checkpoints ? meanOf(points.filter(isDuring)) : null,
    between: checkpoints ? meanOf(points.filter((point) => !isDuring(point))) : null,
  };
}
