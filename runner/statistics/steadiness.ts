import { type Change, scanForChanges } from './change-scan.ts';
import { mean, median, sortedNumbers } from './summaries.ts';

/** Fewer values say next to nothing. A trial of ten seconds leaves nine whole ones. */
const minValues = 8;
/**
 * Fewest values on either side of a step: two, and at least one in a hundred, so that a hiccup at either end is not a
 * new level.
 */
const minBesideStep = (count: number): number => Math.max(2, Math.ceil(count / 100));

/**
 * What a likelihood ratio has to exceed. It comes from simulated series without a change (normal; white, AR(1) up to
 * 0.98, and AR(1) plus white noise; 2,000 of each for 20 to 100 values, 400 up to 600). In at most one of twenty of
 * these series, the largest ratio was beyond 18.
 */
const limit = 18;

/**
 * With fewer values than this, a change cannot be distinguished from strong autocorrelation, and hardly any change
 * would exceed the limit. Such short series have a lower limit. White noise exceeds it in one of fifteen series of 8
 * and 9 values, and in fewer than one of twenty longer ones. AR(1) noise exceeds it more often, which is why only a
 * change of at least a fifth is named. At 10% noise, both rules together name a change in one of forty series of white
 * noise, and in one of ten with AR(1) of 0.6, which is the worst.
 */
const minToTellNoise = 18;
const grossChange = 0.2;
const limitOfShort = (count: number): number => Math.max(8, count - 1);

export interface Steadiness {
  /**
   * shifted: a new level from `index` on. starting up: the series rose or fell until `index`, and then had one level.
   * trending: it rose or fell all the time.
   */
  state: 'steady' | 'shifted' | 'starting-up' | 'trending' | 'not-assessed';
  /** Relative to the level before the change: 0.05 is +5%, Infinity is from nothing. null without a change. */
  change: number | null;
  /** Index of the first value at the new level; null if there is none. */
  index: number | null;
  /** In words. */
  reason: string;
  /** The smallest change that would have been named; null if that is the threshold. */
  minVisibleChange: number | null;
}

/**
 * Whether a per-second series has one level: no step, no start-up, no trend that is both beyond chance and large enough
 * to matter. Among the changes whose size matters, the likeliest one is named, if the series is much likelier with it
 * than with autocorrelated noise alone: so much that this happens in at most one of twenty steady series.
 * `scanForChanges` has the sources and the assumptions; the limit is simulated. Sizes are differences between medians,
 * so a stall from which the series recovers is no change of level.
 *
 * @param series values per second, of the measured part only
 * @param options.minSeconds the fewest with which a series without a change is called steady; at least one
 *   checkpoint cycle is a sensible choice. Changes are also named in shorter series
 * @param options.threshold smallest relative change that matters
 * @throws RangeError for NaN
 */
export function assessSteadiness(
  series: readonly number[],
  { minSeconds, threshold }: { minSeconds: number; threshold: number },
): Steadiness {
  if (series.length < minValues) {
    return none('not-assessed', `only ${series.length} seconds have a value, but ${minValues} are needed`);
  }
  if (sortedNumbers(series).at(-1) === 0) return none('not-assessed', 'all values are zero');
  const change = likeliestChange(series, threshold);
  if (change) return change;
  if (series.length < minSeconds) {
    return none('not-assessed', `no change in ${series.length} s, but ${minSeconds} s are needed to call it steady`);
  }
  const isShort = series.length < minToTellNoise;
  return {
    ...none('steady', 'no large change beyond noise'),
    minVisibleChange: isShort && grossChange > threshold ? grossChange : null,
  };
}

function none(state: Steadiness['state'], reason: string): Steadiness {
  return { state, change: null, index: null, reason, minVisibleChange: null };
}

function likeliestChange(series: readonly number[], threshold: number): Steadiness | null {
  if (series.every((value) => value === series[0])) return null;
  const short = series.length < minToTellNoise;
  const min = short ? Math.max(threshold, grossChange) : threshold;
  const likely = scanForChanges(series, minBesideStep(series.length))
    .filter(({ likelihoodRatio }) => likelihoodRatio > (short ? limitOfShort(series.length) : limit))
    .sort((one, other) => other.likelihoodRatio - one.likelihoodRatio);
  if (likely.length === 0) return null;
  const sizeOf = { step: sizesOfSteps(series), ramp: (index: number) => sizeOfRamp(series, index) };
  for (const { shape, index } of likely) {
    const size = sizeOf[shape](index);
    if (Math.abs(size) >= min) return { ...named(shape, index, series.length), change: size, minVisibleChange: null };
  }
  return null;
}

function named(shape: Change['shape'], index: number, count: number): Omit<Steadiness, 'change' | 'minVisibleChange'> {
  if (shape === 'step') return { state: 'shifted', index, reason: 'its level changed, and stayed' };
  // The last tenth of a trial says too little about a level at which a ramp would have ended.
  if (index > 0.9 * count) return { state: 'trending', index: null, reason: 'it rose or fell throughout' };
  return { state: 'starting-up', index, reason: 'its start differs' };
}

function sizesOfSteps(series: readonly number[]): (index: number) => number {
  const before = runningMedians(series);
  const after = runningMedians(series.toReversed());
  return (index) => relativeChange(before[index - 1] ?? NaN, after[series.length - index - 1] ?? NaN);
}

/** The medians of the two halves of a straight line are half of its rise apart. */
function sizeOfRamp(series: readonly number[], index: number): number {
  const half = Math.floor(index / 2);
  const [first, second] = [median(series.slice(0, half)) ?? NaN, median(series.slice(index - half, index)) ?? NaN];
  const middle = mean([first, second]);
  const rise = ((second - first) * index) / (index - half);
  return relativeChange(middle - rise / 2, middle + rise / 2);
}

/** No level is below zero. */
function relativeChange(from: number, to: number): number {
  const [before, after] = [Math.max(0, from), Math.max(0, to)];
  return before === after ? 0 : after / before - 1;
}

/** Median of the first value, of the first two, three and so on. */
function runningMedians(series: readonly number[]): number[] {
  const sorted: number[] = [];
  return series.map((value) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] ?? Infinity) < value) low = middle + 1;
      else high = middle;
    }
    sorted.splice(low, 0, value);
    const half = sorted.length >> 1;
    return sorted.length % 2 === 1 ? (sorted[half] ?? NaN) : mean([sorted[half - 1] ?? NaN, sorted[half] ?? NaN]);
  });
}
