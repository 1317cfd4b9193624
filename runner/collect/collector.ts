import type { Client } from 'pg';
import type { Measures, Metric, SeriesRow } from '../contract/metric.ts';
import type { TrialEvent } from '../contract/trial-event.ts';
import type { Conditions, Facts, Trial } from '../contract/trial.ts';
import type { Target } from '../postgres/target.ts';

/**
 * One source of evidence about trials, such as a view of PostgreSQL, this machine or a service of AWS. It is light, since
 * loading an experiment imports it.
 */
export interface Collector {
  name: string;
  /** Whether an experiment may leave it out (`collect`). What validity rests on is always collected. */
  optional: boolean;
  /** What it measures, or derives from that; part of the catalogue. */
  metrics: readonly Metric[];
  /** What else of the catalogue it measures, that is no metric of its own. */
  gives?: readonly string[];
  /** What it tells of a variant, once, before its first trial. */
  describe?(variant: DescribedVariant): Promise<VariantFindings>;
  /** Called right before the load; what it gives is stopped right after it. */
  start?(trial: CollectedTrial): Promise<Collection>;
  /**
   * For sources that answer only minutes afterwards: asked again about all finished trials when the run has ended.
   *
   * @returns by id; trials that are left out have nothing new
   * @throws {UserError} where the source does not answer: the trials are worth having without it
   */
  later?: (trials: readonly Trial[], context: LaterContext) => Promise<ReadonlyMap<string, Findings>>;
}

/** What goes on during one trial. */
export interface Collection {
  /** The load has just ended. Nothing here may take long: other trials of the same block may still be measured. */
  stop?(): Promise<Findings>;
  /** The whole step has ended: what takes time is done here. */
  finish?(): Promise<Findings>;
}

export interface Findings {
  measures?: Measures;
  series?: readonly SeriesRow[];
  facts?: Facts;
  /** Sentences. */
  warnings?: readonly string[];
}

export interface DescribedVariant {
  variant: string;
  /** Parameters that the experiment names for it. */
  parameters: readonly string[];
  database: UseDatabase;
}

export interface VariantFindings {
  serverVersion?: string;
  settings?: Record<string, string>;
}

export interface CollectedTrial {
  id: string;
  conditions: Conditions;
  /** Where the trial's own files are. */
  folder: string;
  target: Target;
  /** Major version of the measured server, such as 16. */
  serverMajor: number;
  /** Table of the tool that grows with the work done, where there is one. */
  growingTable: string | null;
  /** Transactions per second that are offered; null where clients are always busy. */
  offeredPerSecond: number | null;
  /** A connection for what takes a moment, shared by all collectors that start, and by all that stop. */
  database: UseDatabase;
  startedAt: Date;
  now: () => Date;
  signal: AbortSignal;
  /** What whoever runs the server says happened to it; absent where nobody else does. */
  eventsBetween?: EventsBetween;
}

export interface LaterContext {
  eventsBetween?: EventsBetween;
}

export type UseDatabase = <T>(use: (client: Client) => Promise<T>) => Promise<T>;

/** @throws {UserError} where they cannot be had */
export type EventsBetween = (variant: string, from: Date, to: Date) => Promise<TrialEvent[]>;
