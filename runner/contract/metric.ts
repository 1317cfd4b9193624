/** What an amount is of, which decides in what units people read it. Inside, all are in base units: seconds, bytes, 1. */
export type QuantityKind = 'rate' | 'duration' | 'latency' | 'bytes' | 'share' | 'count';

/** Numbers of one trial by metric name, in base units; null where the source could not tell. */
export type Measures = Readonly<Record<string, number | null>>;

/** One entry of the catalogue (runner/metrics/catalogue.ts): all that anything needs to know of a metric. */
export interface Metric {
  /** As in files, such as `latency.p99`. */
  name: string;
  /** As people read it, without its unit. */
  label: string;
  /** Base unit of the values in files, such as `s`; `1` for counts and shares. */
  unit: string;
  kind: QuantityKind;
  /** Digits behind the point, where three that matter are not the right number. */
  decimals?: number;
  better: 'higher' | 'lower';
  /**
   * How two variants are compared by it. `ratio`: by how many times as much. `difference`: shares, which may be zero.
   * `per-transaction`: as a ratio, of the total where every trial does the same work, and of the part of one transaction
   * where trials end after a time: there the faster variant would have more only for having done more. null: it is shown for
   * each variant and not compared.
   */
  compared: 'ratio' | 'difference' | 'per-transaction' | null;
  /** Whether an experiment may declare it as the one that decides. @default false */
  declarable?: boolean;
  /** Only of trials that end after so many transactions; where all last equally long it says nothing. @default false */
  onlyOfGivenWork?: boolean;
  /** Whether it is part of what the load generator says, and so is not shown again among the evidence. @default false */
  ofTheLoad?: boolean;
  /** Only for checks: no table shows it. @default false */
  hidden?: boolean;
  /** Where it comes from, in words for the documentation. */
  source: string;
  /** Computed from other measures of the trial instead of being measured. */
  derive?: (measures: Measures) => number | null;
  /** Computed from the trial's series instead of being measured. */
  deriveFromSeries?: (series: TrialSeries) => number | null;
}

/** One value of one metric at one time; columns of the files with series, too. */
export interface SeriesRow {
  /** Since the start of the trial. */
  second: number;
  name: string;
  value: number;
}

/** One value at one time. */
export interface SeriesPoint {
  /** Since the start of the trial. */
  second: number;
  value: number;
}

/** The series of one trial by metric name, each in order of time. */
export type TrialSeries = ReadonlyMap<string, readonly SeriesPoint[]>;

/** part / whole; null where either is not known or there is no whole. */
export function ratioOf(measures: Measures, part: string, whole: string): number | null {
  const [a, b] = [measures[part] ?? null, measures[whole] ?? null];
  return a === null || b === null || b === 0 ? null : a / b;
}
