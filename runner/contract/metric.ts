/**
 * Kind of an amount. It decides the unit in which people read the amount. Internally, all amounts are in base units:
 * seconds, bytes, 1.
 */
export type QuantityKind = 'rate' | 'duration' | 'latency' | 'bytes' | 'share' | 'count';

/** Numbers of one trial by metric name, in base units; null if the source does not say. */
export type Measures = Readonly<Record<string, number | null>>;

/**
 * One entry of the catalogue (runner/metrics/catalogue.ts): everything that other code needs to know about a metric.
 */
export interface Metric {
  /** Name in files, such as `latency.p99`; of a family such as `waits.<event>` (see `MembersTable`). */
  name: string;
  /** Name for people, without its unit. */
  label: string;
  /** Only of a family: the label in a table that has its members in a column of their own. @default label */
  column?: string;
  /** Only of the latency of a transaction: which one of all, such as `p99`. The label is `latency p99`. */
  statistic?: string;
  /** Name within a sentence, such as `p99 latency`. @default label; of a share, `share of` and the label */
  inSentence?: string;
  /**
   * How people describe a change of it, such as `a is 20% faster than b` or `a is 20 times as fast as b`.
   * @default `the p99 latency is 20% higher for a than for b`
   */
  changePhrase?: { is: string; was: string; more: string; less: string; as: string };
  /** Base unit of the values in files, such as `s`; `1` for counts and shares. */
  unit: string;
  kind: QuantityKind;
  /** Digits after the decimal point. If absent, three significant digits are shown. */
  decimals?: number;
  better: 'higher' | 'lower';
  /**
   * How two variants are compared by the metric. `ratio`: by the ratio of their values. `difference`: by the difference
   * of their shares, which may be zero. `per-transaction`: by the ratio of the totals if every trial does the same
   * work. If trials end after a time, the faster variant has a larger total only because it does more work; then by the
   * ratio of the values per transaction. `totals`: by the ratio of the sums over all pairs. null: it is shown for each
   * variant and not compared.
   */
  compared: 'ratio' | 'difference' | 'per-transaction' | 'totals' | null;
  /** Whether an experiment may declare it as the metric that decides. @default false */
  declarable?: boolean;
  /**
   * Whether only trials with a given number of transactions have it. In trials of equal length it says nothing.
   * @default false
   */
  onlyOfGivenWork?: boolean;
  /** Trials that are shorter, in seconds, may not have it. @default 0 */
  minSeconds?: number;
  /** Whether the load generator reports it, so that it is not shown again among the evidence. @default false */
  reportedByLoad?: boolean;
  /**
   * Whether it also counts what failed or was skipped, so that a side that loses more does not look better.
   * @default false
   */
  countsLost?: boolean;
  /** A fact of `facts.identity` that its values depend on: across different ones, nothing is compared by it. */
  dependsOn?: string;
  /**
   * The metric that it divides by the transactions. If that one is compared per transaction, the table of the evidence has
   * this figure already, and leaves this row out.
   */
  perTransactionOf?: string;
  /**
   * Whether the server also does this work without transactions (checkpoints, autovacuum, the background writer).
   * Divided by the transactions of a load that hardly writes, it would only show how many there were, so such trials
   * have no value per transaction. @default false
   */
  background?: boolean;
  /**
   * Only of a percentile over transactions: the share that is not above it, such as 0.99. A trial with too few
   * transactions has none (see `minForQuantile`).
   */
  quantile?: number;
  /**
   * Whether a trial has no value because of what it measured itself, by its other measures: it was too slow, or did too
   * little. A comparison by the trials that have a value would select by the outcome (see `isWithheld`). @default never
   */
  withheldIf?: (measures: Measures) => boolean;
  /**
   * Whether it goes with the pace of the whole run, so that what other programs take bounds how far they move it
   * (analysis/disturbance.ts). A latency does only if clients are always busy. @default false
   */
  pace?: boolean;
  /** Whether it is only for checks, and no table shows it. @default false */
  hidden?: boolean;
  /**
   * Only of a family: if a trial has a value of this metric, every member was looked for, so members without a value
   * are zero.
   */
  zeroWith?: string;
  /**
   * Only of a metric that is not measured but estimated from others: the formula, in words. Its interval covers what goes
   * into the formula, not how well that fits. The label says that it is an estimate.
   */
  estimate?: string;
  /** Where it comes from, in words for the documentation. */
  source: string;
  /** Computed from other measures of the trial instead of being measured. */
  derive?: (measures: Measures) => number | null;
  /** Computed from the trial's series instead of being measured. */
  deriveFromSeries?: (series: TrialSeries) => number | null;
}

/** How many transactions have to lie beyond a percentile: of fewer, it is hardly more than the slowest one. */
const minBeyond = 10;

/** The fewest transactions of which a percentile is told, such as 1,000 for 0.99. */
export function minForQuantile(quantile: number): number {
  return Math.round(minBeyond / (1 - quantile));
}

/** One value of one metric at one time; columns of the files with series, too. */
export interface SeriesRow {
  /** Since the measured part of the trial began; the first one is 0. */
  second: number;
  name: string;
  value: number;
}

/** One value at one time. */
export interface SeriesPoint {
  /** Since the measured part of the trial began; the first one is 0. */
  second: number;
  value: number;
}

/** The series of one trial by metric name, each in order of time. */
export type TrialSeries = ReadonlyMap<string, readonly SeriesPoint[]>;

/** part / whole; null if either is not known, or if the whole is zero. */
export function ratioOf(measures: Measures, part: string, whole: string): number | null {
  const [a, b] = [measures[part] ?? null, measures[whole] ?? null];
  return a === null || b === null || b === 0 ? null : a / b;
}

/**
 * A metric whose name contains a placeholder, such as `waits.<event>`, stands for a family: one metric for each wait
 * event that a server reports. A member has the name and the label of the family, with its own part in place of the
 * placeholder.
 */
const placeholder = /<(\w+)>/;

/**
 * A table of one kind of thing that families of metrics are about, such as the volumes of a server: each thing is a
 * row.
 */
export interface MembersTable {
  /** Name of the section of the report, such as `volumes`. */
  id: string;
  title: string;
  /** What a member is, such as `volume`. */
  what: string;
  /** What stands for it in the names of its families, such as `<volume>`. */
  placeholder: string;
  /** Whether the terminal shows it, too. @default false */
  inTerminal?: boolean;
  /** Ends of the names of those that are shown first, and left out last if there is little room. */
  first?: readonly string[];
  notes: readonly string[];
}

export function isFamily({ name }: Pick<Metric, 'name'>): boolean {
  return placeholder.test(name);
}

/** Name of the member, such as `waits.LWLock:WALWrite`. */
export function memberName({ name }: Pick<Metric, 'name'>, part: string): string {
  return name.replace(placeholder, () => part);
}

/** Name of a metric of one script alone, such as `latency.p99@order`. */
export function scriptMetric(metric: string, script: string): string {
  return memberName({ name: `${metric}@<script>` }, script);
}

/** Family of the mean time of a transaction of each script. */
export const scriptTime = { name: scriptMetric('latency.average', '<script>') };

/** The metric of one member. */
export function memberOf(family: Metric, part: string): Metric {
  const withPart = (text: string): string => text.replace(placeholder, () => part);
  return {
    ...family,
    name: memberName(family, part),
    label: withPart(family.label),
    ...(family.inSentence !== undefined && { inSentence: withPart(family.inSentence) }),
  };
}

/** What stands for the placeholder in the name of a member; null if the name is not of this family. */
export function partOf({ name: family }: Pick<Metric, 'name'>, name: string): string | null {
  const [before = '', , after = ''] = family.split(placeholder);
  const longEnough = name.length > before.length + after.length;
  return longEnough && name.startsWith(before) && name.endsWith(after)
    ? name.slice(before.length, name.length - after.length)
    : null;
}
