import type { DeployedDatabase } from './deployed-database.ts';
import type { LogVolumeSwitch } from './log-volume-switch.ts';
import type { Experiment } from './experiment/schema.ts';
import type { TrialEvent } from './trial-event.ts';
import type { DriverObservation } from '../collect/driver/processors.ts';
import type { ServerObservation } from '../collect/postgres/server-observation.ts';
import type { Interval } from '../statistics/exact-interval.ts';
import type { LatencyDigest, Run } from './tool-output.ts';
import type { Check } from './check.ts';

/** result.json. Times are ISO 8601 in UTC, durations seconds, sizes bytes. */
export interface Result {
  kind: 'pgduet-result';
  schemaVersion: 1;
  toolVersion: string;
  experiment: {
    name: string;
    question: string;
    profile: string;
    baseline: string;
    seed: number;
    definition: Experiment;
  };
  place: PlaceDescription;
  startedAt: string;
  endedAt: string | null;
  /** False where trials of the plan are missing: interrupted, or stopped by a limit. */
  complete: boolean;
  /** With `until: precision`, the block after which the interval was narrow enough; absent where it never was. */
  stoppedAfterBlock?: number;
  /** Of a crossover: every log volume that was switched. */
  switches?: LogVolumeSwitch[];
  /** Which limit of the experiment ended the run before its time, in words. */
  stoppedBy?: string;
  variants: ResultVariant[];
  trials: Trial[];
  comparisons: Comparison[];
  warnings: string[];
}

/** Where the variants lived, in words for the report. */
export interface PlaceDescription {
  kind: 'local' | 'deployed';
  description: string;
  /** What this place cannot show. */
  caveats: string[];
  /** Volumes of limited IOPS, as measured before the trials; absent in deployed runs. */
  volumes?: MeasuredVolume[];
}

export interface MeasuredVolume {
  /** Such as `with-dlv-log`. */
  volume: string;
  /** What its limits come to in writes of `writeBytes` per second. */
  requestedIops: number;
  writeBytes: number;
  /** Queue depth -> writes per second. */
  measuredIops: Record<number, number>;
}

export interface ResultVariant {
  name: string;
  description: string | null;
  serverVersion: string | null;
  /** Settings that were in force, by name, with pg_settings' units spelled out, such as `wal_buffers: '8192 (8kB)'`. */
  settings: Record<string, string>;
  /** What RDS said that it was when the run began; absent in local runs. */
  deployed?: DeployedDatabase;
}

interface TrialIdentity {
  /** Folder of the trial below `trials/`, such as `block-01-1-with-dlv`. */
  id: string;
  variant: string;
  /** From 1. */
  block: number;
  /** Place in its block, from 1; the same number for trials measured together. */
  position: number;
  /** From 2, where its block was measured once more because a trial of it failed or was not valid; absent in the first. */
  attempt?: number;
  /** Of a crossover: 2 where the log volumes had changed places. */
  period?: 1 | 2;
  startedAt: string;
  endedAt: string;
}

export interface FinishedTrial extends TrialIdentity {
  state: 'finished';
  run: Run;
  /** What counts as throughput and average latency instead of the run's, where its start was left out. */
  steady?: SteadyPart;
  latency: LatencyDigest | null;
  server: ServerObservation | null;
  /** Absent in results of before it was recorded. */
  driver?: DriverObservation | null;
  /** What happened to the server meanwhile; absent where the place cannot tell. */
  events?: TrialEvent[];
  /** The trial's part of the validity ledger; absent in results of before there was one. */
  checks?: Check[];
  warnings: string[];
}

/** A trial without its start (`protocol.truncate`), from its series by second. */
export interface SteadyPart {
  cutSeconds: number;
  tps: number;
  latencyAverageSeconds: number | null;
}

/** A failed or interrupted trial is data too: it stays visible and is never averaged in. */
export interface UnfinishedTrial extends TrialIdentity {
  state: 'failed' | 'interrupted';
  stage: 'reset' | 'warm-up' | 'measure' | 'collect';
  error: string;
}

export type Trial = FinishedTrial | UnfinishedTrial;

export type Verdict = 'better' | 'worse' | 'equivalent' | 'inconclusive' | 'descriptive';

/** One metric of one candidate against the baseline; contract: `compare --json`. */
export interface Comparison {
  metric: string;
  unit: string;
  better: 'higher' | 'lower';
  /** True for the one declared metric that gets a verdict. */
  primary: boolean;
  method: string;
  scope: 'these-instances' | 'configurations';
  baseline: ComparedSide;
  candidate: ComparedSide;
  /** Relative change of candidate against baseline (0.1 is +10 %); a difference for shares; null where it cannot be formed. */
  change: number | null;
  /** How many times better, minus 1: the published studies' "% improvement". Negative where worse. */
  speedup: number | null;
  /** Of change. The level is the exact one that the method has for so few values: at least the one asked for. */
  interval: Interval | null;
  /** null for metrics that are not primary, and where a check failed (see `withheld`). */
  verdict: Verdict | null;
  /** Of the two variants beside each other; only on primary comparisons, absent in results of before there were checks. */
  checks?: Check[];
  /** The checks that took the verdict away, each with what it is of; absent where there are none. */
  withheld?: string[];
  /** With an inconclusive verdict: about how many blocks in all would settle it, if they vary as those so far. */
  blocksToSettle?: number;
}

export interface ComparedSide {
  variant: string;
  median: number | null;
  /** Blocks, or runs where there are no blocks. */
  n: number;
  /** Of the median, from order statistics; null below six values. */
  interval?: Interval | null;
}
