import { type Comparison, pairWords, unitOf } from '../contract/comparison.ts';
import type { SeriesPoint } from '../contract/metric.ts';
import type { Robustness, Variation } from '../contract/robustness.ts';
import type { LoggedCheckpoint } from '../contract/server-facts.ts';
import type { Trial } from '../contract/trial.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import { wholeSeconds } from '../metrics/whole-seconds.ts';
import { mean } from '../statistics/summaries.ts';
import type { SeriesSource } from '../storage/series.ts';
import { estimatePaired } from './estimate.ts';
import type { ComparedBy } from './scale.ts';
import type { ValuesOfPair } from './side-values.ts';
import { ownCheckpoints } from './validity/cycles.ts';
import { outliersOf } from './validity/pair/outliers.ts';

/** Part of the longest trial's whole seconds that counts as the start of each, by the clock of the trial. */
const startOfTrial = 1 / 4;

/** The fewest seconds of a phase in a trial whose mean says something about the phase. */
const minPhaseSeconds = 2;

/** The fewest pairs of which one can be left out. */
const minPairs = 3;

/** The log has times in milliseconds: a pause of one, in seconds, may be none. */
const resolution = 0.0015;

/** Estimates that differ by less are the same. */
const rounding = 1e-9;

/**
 * Estimates every change that decides in other ways than the planned one, with the same estimator. It reads the series
 * of the trials that count.
 *
 * @param practicalThreshold a pair that differs from the others by less is no outlier
 */
export async function robustnessOf(
  comparisons: readonly Comparison[],
  {
    trials,
    series,
    practicalThreshold,
  }: { trials: readonly Trial[]; series: SeriesSource; practicalThreshold: number },
): Promise<Robustness[]> {
  const found: Robustness[] = [];
  for (const comparison of comparisons) {
    const { primary, change, baseline, candidate, conditions, pairs } = comparison;
    if (!primary || change === null || pairs.length < minPairs) continue;
    const estimate = estimatorOf(comparison);
    const variations = [
      planned(comparison, change),
      ...(await overTime(comparison, trials, series, estimate)),
      ...withoutPairs(comparison, { change, practicalThreshold }, estimate),
    ];
    found.push({ baseline: baseline.variant, candidate: candidate.variant, conditions, variations });
  }
  return found;
}

type Estimator = (
  pairs: readonly ValuesOfPair[],
  how?: { compared?: ComparedBy; isChangeEnough?: boolean },
) => Pick<Variation, 'change' | 'interval' | 'pairs'>[];

/** None if the change cannot be calculated. */
function estimatorOf(comparison: Comparison): Estimator {
  const { metric, interval, unknownBlocks = [], unknownPairs = 0 } = comparison;
  // The planned interval allows for what unknown blocks would have shown. Others could not be told from it.
  const level = unknownBlocks.length + unknownPairs > 0 ? null : (interval?.level ?? null);
  const by = metricNamed(metric)?.compared ?? 'ratio';
  return (pairs, { compared = by, isChangeEnough = false } = {}) => {
    // At the level of the planned interval, or above it: with few pairs, there may be none.
    const found = estimatePaired(pairs, compared, { level: isChangeEnough ? null : level, unit: unitOf(comparison) });
    if (found.change === null) return [];
    return [{ change: found.change, interval: found.interval, pairs: pairs.length }];
  };
}

function planned({ interval, pairs }: Comparison, change: number): Variation {
  return { way: 'planned', change, interval, pairs: pairs.length };
}

/** Those that leave pairs out, or weigh them otherwise. */
function withoutPairs(
  { pairs, metric }: Comparison,
  { change, practicalThreshold }: { change: number; practicalThreshold: number },
  estimate: Estimator,
): Variation[] {
  const far = (outliersOf({ metric, pairs }, practicalThreshold) ?? []).map(({ pair }) => pair);
  const others = far.length === 0 ? [] : pairs.filter((pair) => !far.includes(pair));
  return [
    ...estimate(others).map((found): Variation => ({
      way: 'without-outlier',
      ...found,
      // The data chose what to leave out, so no interval of the rest has a level.
      interval: null,
      leftOut: far.map(pairWords).join(' and '),
    })),
    ...(isRatio(metric)
      ? estimate(pairs, { compared: 'totals' }).map((found): Variation => ({ way: 'totals', ...found, interval: null }))
      : []),
    ...leaveOneOut(pairs, change, estimate),
  ];
}

/** None if one of the estimates cannot be computed. */
function leaveOneOut(pairs: Comparison['pairs'], change: number, estimate: Estimator): Variation[] {
  const each = pairs.flatMap((pair) =>
    estimate(
      pairs.filter((other) => other !== pair),
      { isChangeEnough: true },
    ).map((found) => ({ change: found.change, pair })),
  );
  if (each.length < pairs.length) return [];
  const moved = each.map((one) => Math.abs(one.change - change));
  const max = Math.max(...moved);
  const farthest = each.filter((_, index) => (moved[index] ?? 0) >= max - rounding);
  return farthest.slice(0, 1).map((first) => ({
    way: 'leave-one-out',
    change: first.change,
    interval: null,
    pairs: pairs.length - 1,
    changes: each.map((one) => one.change),
    // If all move it as much, none moves it most.
    ...(farthest.length < each.length && { leftOut: farthest.map(({ pair }) => pairWords(pair)).join(' or ') }),
  }));
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
  const secondsOf = async (id: string): Promise<Seconds> => {
    const trial = known.get(id);
    return {
      points: wholeSeconds(trial ? (await series.read(trial)).get(metric) : []),
      inProgress: trial?.facts.checkpoints ? spansOf(ownCheckpoints(trial)) : null,
    };
  };
  const sides: { baseline: Seconds; candidate: Seconds }[] = [];
  // One trial after another, and only this metric: the series of a long run do not fit into memory together.
  for (const { baseline, candidate } of ids) {
    sides.push({ baseline: await secondsOf(baseline), candidate: await secondsOf(candidate) });
  }
  const all = sides.flatMap(({ baseline, candidate }) => [baseline, candidate]);
  const start = Math.ceil(Math.max(...all.map(({ points }) => points.length)) * startOfTrial);
  const phases: [phase: Pick<Variation, 'way' | 'seconds'>, isIn: (point: SeriesPoint, of: Seconds) => boolean][] = [
    [{ way: 'without-start', seconds: start }, ({ second }) => second >= start],
    [{ way: 'during-checkpoints' }, isThroughout],
    [{ way: 'between-checkpoints' }, isWithout],
  ];
  return phases.flatMap(([phase, isIn]): Variation[] => {
    const kept = (of: Seconds): readonly SeriesPoint[] => of.points.filter((point) => isIn(point, of));
    // All seconds are no other way to compute it.
    if (all.every((of) => kept(of).length === of.points.length)) return [];
    const values = sides.flatMap((pair): ValuesOfPair[] => {
      const [baseline, candidate] = [meanOf(kept(pair.baseline)), meanOf(kept(pair.candidate))];
      return baseline === null || candidate === null ? [] : [{ baseline, candidate }];
    });
    return values.length < minPairs ? [] : estimate(values).map((found) => ({ ...phase, ...found }));
  });
}

/** The whole seconds of one trial. */
interface Seconds {
  points: readonly SeriesPoint[];
  /** Times with a checkpoint under way; null if the server's log was out of reach. */
  inProgress: readonly Span[] | null;
}

interface Span {
  from: number;
  to: number;
}

/** Checkpoints that follow each other without a pause are one span. */
function spansOf(checkpoints: readonly LoggedCheckpoint[]): Span[] {
  return checkpoints.reduce<Span[]>((spans, { startedAt, endedAt }) => {
    const last = spans.at(-1);
    const to = endedAt ?? Infinity;
    if (!last || startedAt - last.to > resolution) return [...spans, { from: startedAt, to }];
    return [...spans.slice(0, -1), { from: last.from, to: Math.max(last.to, to) }];
  }, []);
}

function isThroughout({ second }: SeriesPoint, { inProgress }: Seconds): boolean {
  return inProgress?.some(({ from, to }) => from <= second && second + 1 <= to) ?? false;
}

function isWithout({ second }: SeriesPoint, { inProgress }: Seconds): boolean {
  return inProgress?.every(({ from, to }) => second + 1 <= from || to <= second) ?? false;
}

/** null if there are too few. */
function meanOf(points: readonly SeriesPoint[]): number | null {
  return points.length < minPhaseSeconds ? null : mean(points.map(({ value }) => value));
}
