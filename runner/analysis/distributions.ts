import type { Comparison } from '../contract/comparison.ts';
import type { Distribution } from '../contract/distribution.ts';
import type { TrialSeries } from '../contract/metric.ts';
import type { Trial } from '../contract/trial.ts';
import { boundOf, growth, latencyClassesIn } from '../metrics/latency-classes.ts';
import type { SeriesSource } from '../storage/series.ts';

/** Transactions by the start of the class of their latency, in microseconds, and in that order. */
type Classes = ReadonlyMap<number, number>;

/** With fewer transactions on a side, its slowest 1% are a handful. */
const minTransactions = 1000;
/** Two distributions are apart where this share more of one side's transactions is shorter. Less is taken for equal. */
const apart = 0.01;
/** On either side of a crossing, they are somewhere apart by this. */
const farApart = 0.05;

/**
 * Compares whole distributions for each comparison with a verdict. It reads the series of the trials that count. Classes
 * cover whole trials, so trials whose start was left out have none.
 */
export async function distributionsOf(
  comparisons: readonly Comparison[],
  trials: readonly Trial[],
  series: SeriesSource,
): Promise<Distribution[]> {
  const byId = new Map(trials.map((trial) => [trial.id, trial]));
  const pooled = async (ids: readonly string[]): Promise<Classes> => {
    const sums = new Map<number, number>();
    // One trial after another: the series of a long run do not fit into memory together.
    for (const id of new Set(ids)) {
      const trial = byId.get(id);
      if (!trial || trial.steady) return new Map();
      addTransactions(sums, await series.read(trial));
    }
    // In the order of the classes: sums differ in their last digit by the order in which a source has its series.
    return new Map([...sums].sort(([a], [b]) => a - b));
  };
  const found: Distribution[] = [];
  for (const { primary, verdict, baseline, candidate, conditions, trials: ids } of comparisons) {
    if (!primary || verdict === null) continue;
    const sides = {
      baseline: { variant: baseline.variant, classes: await pooled(ids.map((pair) => pair.baseline)) },
      candidate: { variant: candidate.variant, classes: await pooled(ids.map((pair) => pair.candidate)) },
    };
    if (Object.values(sides).some(({ classes }) => sumOf(classes) < minTransactions)) continue;
    found.push({
      baseline: baseline.variant,
      candidate: candidate.variant,
      conditions,
      crossing: crossingOf(sides),
      slow: slowOf(sides),
    });
  }
  return found;
}

function addTransactions(sums: Map<number, number>, series: TrialSeries): void {
  for (const { micros, points } of latencyClassesIn(series).classes) {
    sums.set(
      micros,
      points.reduce((sum, { value }) => sum + value, sums.get(micros) ?? 0),
    );
  }
}

type Sides = Record<'baseline' | 'candidate', { variant: string; classes: Classes }>;

/** Where the share of transactions that are shorter is the same on both sides. */
function crossingOf({ baseline, candidate }: Sides): Distribution['crossing'] {
  const starts = [...new Set([...baseline.classes.keys(), ...candidate.classes.keys()])].sort((a, b) => a - b);
  const places = starts.map((start) => {
    const [before, after] = [baseline, candidate].map(({ classes }) => shareBelow(classes, start)) as [number, number];
    return { before, after, lead: before - after };
  });
  const clear = places.filter(({ lead }) => Math.abs(lead) >= apart);
  const turn = clear.findIndex(({ lead }, at) => at > 0 && lead > 0 !== (clear[at - 1]?.lead ?? 0) > 0);
  if (turn === -1) return null;
  const [below, above] = [clear.slice(0, turn), clear.slice(turn)];
  const isOneSided = (some: typeof clear): boolean => new Set(some.map(({ lead }) => lead > 0)).size === 1;
  const isFar = (some: typeof clear): boolean => some.some(({ lead }) => Math.abs(lead) >= farApart);
  if (!isOneSided(above) || !isFar(below) || !isFar(above)) return null;
  const [from, to] = [below.at(-1), above[0]];
  if (!from || !to) return null;
  const part = from.lead / (from.lead - to.lead);
  return {
    share: from.before + part * (to.before - from.before),
    longerBelow: from.lead > 0 ? candidate.variant : baseline.variant,
  };
}

function slowOf({ baseline, candidate }: Sides): Distribution['slow'] {
  const [baselineBound, candidateBound] = [boundOf(baseline.classes, 0.99) ?? 0, boundOf(candidate.classes, 0.99) ?? 0];
  const fromMicros = Math.min(baselineBound, candidateBound);
  return {
    than: baselineBound < candidateBound ? baseline.variant : candidate.variant,
    fromSeconds: fromMicros / 1e6,
    baseline: slowIn(baseline.classes, fromMicros),
    candidate: slowIn(candidate.classes, fromMicros),
  };
}

function slowIn(classes: Classes, fromMicros: number): Distribution['slow']['baseline'] {
  // Starts of classes are rounded, so this is half-way between two of them.
  const limit = fromMicros / growth ** 0.5;
  const timeOf = (some: readonly (readonly [number, number])[]): number =>
    some.reduce((sum, [start, transactions]) => sum + transactions * start * growth ** 0.5, 0);
  const slow = [...classes].filter(([start]) => start > limit);
  return {
    transactions: slow.reduce((sum, [, transactions]) => sum + transactions, 0) / sumOf(classes),
    time: timeOf(slow) / timeOf([...classes]),
  };
}

function shareBelow(classes: Classes, start: number): number {
  const below = [...classes].reduce((sum, [own, transactions]) => sum + (own < start ? transactions : 0), 0);
  return below / sumOf(classes);
}

function sumOf(classes: Classes): number {
  return [...classes.values()].reduce((sum, transactions) => sum + transactions, 0);
}
