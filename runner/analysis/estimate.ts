import { type ComparedUnit, unitWords } from '../contract/comparison.ts';
import type { Interval } from '../statistics/exact-interval.ts';
import { median, ratioOfTotals } from '../statistics/summaries.ts';
import { hodgesLehmann } from '../statistics/signed-rank.ts';
import { intervalOfSamples, type AtCrossover, type Sample, samplesOf, tooSmall, withoutWords } from './crossover.ts';
import { type ComparedBy, hasZero, scaleFor, whyIncomparable } from './scale.ts';
import type { Shift, Shifts } from './disturbance.ts';
import { addable, finiteOrNull, type ValuesOfPair } from './side-values.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import type { TrialSeries } from '../contract/metric.ts';
import type { Trial } from '../contract/trial.ts';
import { withDerived } from '../metrics/value.ts';
import { wholeSeconds } from '../metrics/whole-seconds.ts';
import { commonCut, startThatDiffers } from '../statistics/steady-state.ts';
import { toolOf } from '../workloads/registry.ts';

/** How much the candidate differs, on the scale on which the metric is compared. */
export interface Estimate {
  /** In words, for the report. */
  method: string;
  /** A relative change (0.1 is +10%), or a difference for shares; null if it cannot be calculated. */
  change: number | null;
  interval: Interval | null;
  /** Only beside other programs, and only with an interval. */
  beside?: Beside | undefined;
}

/** An interval of which an end may have no bound. */
export interface Ends {
  low: number | null;
  high: number | null;
}

/** The intervals that allow for what other programs took, each within the one before. */
export interface Beside {
  /** Of the change on a quiet machine. */
  quiet: Ends;
  /** Of the change beside equal programs. */
  alike: Ends;
}

/** An estimate from pairs, with the change of each pair. */
export interface PairedEstimate extends Estimate {
  changes: (number | null)[];
}

/**
 * Estimates the change from pairs of values.
 *
 * @param options.level of the interval; null if the order was not drawn by chance, so that no interval has a level
 * @param options.unit what a pair is, such as `block`
 * @param options.unknown further pairs whose values are unknown. The change comes from the known pairs; the interval is
 *   wide enough to hold for all pairs (see `signedRankInterval`)
 * @param options.shifts what other programs can explain; null without any
 * @param options.isDescribed whether the pairs are only described, like those of unknown blocks: they have no interval
 */
export function estimatePaired(
  pairs: readonly ValuesOfPair[],
  compared: ComparedBy,
  {
    level,
    unit = 'block',
    unknown = [],
    isDescribed = false,
    shifts = null,
  }: {
    level: number | null;
    unit?: ComparedUnit;
    unknown?: readonly AtCrossover[];
    isDescribed?: boolean;
    shifts?: Shifts | null;
  },
): PairedEstimate {
  const scale = scaleFor(compared);
  const differenceIn = ({ baseline, candidate }: ValuesOfPair): number =>
    scale.apply(candidate) - scale.apply(baseline);
  const differences = pairs.map(differenceIn);
  const changes = differences.map((difference) => finiteOrNull(scale.changeOf(difference)));
  if (compared === 'totals') return { ...estimateTotals(pairs), changes };

  const incomparable = whyIncomparable(compared, pairs);
  const by = `paired by ${unitWords(unit, 1)}: Hodges-Lehmann estimate on ${scale.words}${hasZero(compared, pairs) ? ' (zero counts as less than every other value)' : ''}`;
  if (incomparable !== null)
    return { method: `${by}, no change: ${incomparable}`, change: null, interval: null, changes };
  const center = hodgesLehmann(differences);
  const samples = samplesOf(isDescribed ? [] : pairs, unknown);
  const found = level === null ? null : intervalOfSamples(samples, differenceIn, level);
  const low = found && finiteOrNull(scale.changeOf(found.low));
  const high = found && finiteOrNull(scale.changeOf(found.high));
  const interval = found && low !== null && high !== null ? { ...found, low, high } : null;
  const moved = (from: Interval, { lower, higher }: Shift): Ends => ({
    low: lower === Infinity ? null : finiteOrNull(scale.changeOf(from.low - lower)),
    high: higher === Infinity ? null : finiteOrNull(scale.changeOf(from.high + higher)),
  });
  const beside =
    found && interval && shifts ? { quiet: moved(found, shifts.quiet), alike: moved(found, shifts.alike) } : undefined;
  const how = interval
    ? `exact Wilcoxon signed-rank interval${samples.length > 1 ? ', the widest of those that omit one exchange' : ''}`
    : `no interval: ${pairs.length === 0 ? 'there is nothing to compare' : whyNone(samples, { level, unit })}`;
  return {
    method: `${by}, ${how}`,
    change: center === null ? null : finiteOrNull(scale.changeOf(center)),
    interval,
    ...(beside && { beside }),
    changes,
  };
}

/** Describes runs that belong to no blocks. It uses their medians, as the published studies do. */
export function estimateUnpaired(
  baseline: readonly number[],
  candidate: readonly number[],
  compared: ComparedBy,
): Estimate {
  const scale = scaleFor(compared);
  const [before, after] = [median(baseline), median(candidate)];
  const difference = before === null || after === null ? null : scale.apply(after) - scale.apply(before);
  return {
    method: 'unpaired: medians, no interval, because the runs are not in blocks',
    change: difference === null ? null : finiteOrNull(scale.changeOf(difference)),
    interval: null,
  };
}

function estimateTotals(pairs: readonly ValuesOfPair[]): Estimate {
  const found = ratioOfTotals(addable(pairs));
  return {
    method: 'ratio of totals over all pairs',
    change: found === null ? null : finiteOrNull(found.ratio - 1),
    interval: null,
  };
}

/** Why pairs that are enough for an interval have none. */
export function whyUnbounded(compared: ComparedBy, pairs: readonly ValuesOfPair[]): string {
  return whyIncomparable(compared, pairs) ?? 'values of zero leave the interval unbounded';
}

/** Such as `6 complete blocks, but 7 are needed`. */
function whyNone(
  samples: readonly Sample<ValuesOfPair>[],
  { level, unit }: { level: number | null; unit: ComparedUnit },
): string {
  if (level === null) return 'the order was not random';
  const small = tooSmall(samples, level);
  if (!small) return 'values of zero leave it unbounded';
  const { pairs, unknown, needed } = small;
  const words = (count: number): string => `${count} ${unitWords(unit, count)}`;
  const what =
    unknown === 0
      ? `${words(pairs.length).replace(' ', ' complete ')}, but ${needed} are needed`
      : `${unknown} of ${words(pairs.length + unknown)} ${unknown === 1 ? 'is' : 'are'} lost, and then ${needed} are needed`;
  return `${withoutWords(small)}${what}`;
}

/**
 * The trials as `protocol.truncate` asks for them: without the start, if MSER-5, guarded against stalls, finds that it
 * differs. All trials of a block lose the same number of seconds. A block loses nothing if one of its trials is too
 * short for MSER-5 or has no steady part. Trials of a fixed number of transactions are never cut, since all of their
 * work is measured.
 */
export async function leaveOutStarts(
  trials: readonly Trial[],
  { protocol, workload }: Pick<Experiment, 'protocol' | 'workload'>,
  readSeries: (trial: Trial) => Promise<TrialSeries>,
): Promise<Trial[]> {
  if (protocol.truncate === 'none' || toolOf(workload).shape(workload).limit === 'transactions') return [...trials];
  const series = new Map<string, TrialSeries>();
  for (const trial of trials) if (trial.state === 'finished') series.set(trial.id, await readSeries(trial));
  const cuts = new Map<string, number | null>();
  for (const trial of trials) {
    if (trial.state !== 'finished') continue;
    const block = blockOf(trial);
    const own = startThatDiffers(wholeSeconds(series.get(trial.id)?.get('tps')).map(({ value }) => value));
    cuts.set(block, commonCut([cuts.get(block) ?? (cuts.has(block) ? null : 0), own]));
  }
  return trials.map((trial) => {
    const cutSeconds = trial.state === 'finished' ? (cuts.get(blockOf(trial)) ?? 0) : 0;
    return cutSeconds > 0
      ? { ...trial, steady: partAfter(trial, series.get(trial.id) ?? new Map(), cutSeconds) }
      : trial;
  });
}

/** Key of the trials that are cut alike: the trials of one attempt at a block. */
function blockOf({ block, attempt }: Trial): string {
  return `${block} ${attempt}`;
}

function partAfter({ measures }: Trial, series: TrialSeries, cutSeconds: number): NonNullable<Trial['steady']> {
  const seconds = wholeSeconds(series.get('tps')).slice(cutSeconds);
  const latencies = new Map(series.get('latency.average')?.map(({ second, value }) => [second, value]));
  const { 'tps.p10': slowSeconds = null } = withDerived(
    { 'latency.average': measures['latency.average'] ?? null },
    new Map([['tps', series.get('tps')?.slice(cutSeconds) ?? []]]),
  );
  const transactions = seconds.reduce((sum, { value }) => sum + value, 0);
  const latencySum = seconds.reduce((sum, { second, value }) => sum + value * (latencies.get(second) ?? 0), 0);
  return {
    cutSeconds,
    measures: {
      tps: transactions / seconds.length,
      'tps.total': transactions / seconds.length,
      'tps.p10': slowSeconds,
      'latency.average': transactions === 0 ? null : latencySum / transactions,
    },
  };
}
