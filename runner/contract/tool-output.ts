import type { Measures } from './metric.ts';

/** What a load generator's own output says about one run. What the output does not say is null, never a guess. */
export interface ToolRun {
  tool: string;
  clientVersion: string | null;
  serverVersion: string | null;
  /** Which database was measured; only of tools that measure several, such as PostgreSQL or MySQL. */
  database?: string | null;
  clients: number | null;
  threads: number | null;
  scale: number | null;
  scripts: RunScript[];
  /** How statements are sent, such as `prepared`; only of pgbench. */
  queryMode?: string | null;
  /** How often a transaction is tried at most; null if there is no limit, or if it is unknown. Only of pgbench. */
  maxTries?: number | null;
  /** Transactions that were carried out to their end. */
  transactions: number | null;
  failedTransactions: number | null;
  skippedTransactions: number | null;
  retriedTransactions: number | null;
  durationSeconds: number | null;
  /** Transactions per second without the time to connect, if the tool reports both. */
  tps: number | null;
  latencyAverageSeconds: number | null;
  latencyStddevSeconds: number | null;
  /** As pgbench prints it, to a tenth of a millisecond; only of pgbench. */
  latencyLimitSeconds?: number | null;
  /** Finished, but above the latency limit of the run; only of pgbench. */
  lateTransactions?: number | null;
  /** Tries beyond the first, of all transactions; only of pgbench. */
  retries?: number | null;
  /** Failed transactions by why they failed; only of pgbench with --failures-detailed. */
  failures?: Record<'serialization' | 'deadlock' | 'other', number | null> | null;
  /** What each transaction took to connect; only of pgbench with --connect. */
  connectionAverageSeconds?: number | null;
  /** Until all clients were connected; not part of the measured time. Only of pgbench without --connect. */
  initialConnectionSeconds?: number | null;
  /** How far behind its schedule a transaction started; only of pgbench with --rate. */
  lagAverageSeconds?: number | null;
  lagMaxSeconds?: number | null;
  /** What only this tool reports, by the names of its metrics, such as new orders per minute. */
  measures?: Measures;
  /** False if the run was aborted or killed, or if its output is cut off. Such a run is never a measurement. */
  complete: boolean;
  problems: string[];
  /** What else there is to know about the figures, such as what was taken off each line to read them; absent if nothing. */
  notes?: string[];
  /** Which start of the tool in its file it is, from 1 on, and on which lines; absent for runs of our own. */
  place?: { run: number; fromLine: number; toLine: number };
}

export interface RunScript {
  name: string;
  weight: number | null;
  transactions: number | null;
  tps: number | null;
  latencyAverageSeconds: number | null;
  /** Only if the tool counts them for each script. */
  failedTransactions?: number | null;
  skippedTransactions?: number | null;
  /** Percentiles; only of tools that report them for each script. */
  latencySeconds?: Pick<LatencySummary, 'p50' | 'p95' | 'p99'>;
}

/** What the log of a run's transactions does not say about itself. */
export interface LoggedLoad {
  /** Whether transactions had a schedule, so that the log has their lags; undefined if unknown. */
  hasLag?: boolean | undefined;
  /** Names of the scripts, in the order of their numbers in the log; absent if unknown. */
  scripts?: readonly string[];
  /** Transactions that took longer are late. Whole microseconds, as pgbench counts them. */
  latencyLimitMicros?: number | undefined;
  /** Part of the transactions that the log has. @default 1 */
  samplingRate?: number | undefined;
}

/** Percentiles and per-second series of the latencies of one run; contract: `digest --json`. */
export interface LatencyDigest {
  transactions: number;
  /** null if aggregates of PostgreSQL 15 or later count none: they do so only with --failures-detailed. */
  failedTransactions: number | null;
  skippedTransactions: number;
  latencySeconds: LatencySummary;
  /** Each script by its number; only of logs of single transactions. */
  scripts?: ScriptDigest[];
  /**
   * Mean time from the end of a client's previous transaction to the end of one that failed; null if it is not known.
   */
  failedTurnSeconds?: number | null;
  /** Those that took more than one try, with their mean latency; only if the log has a column for it. */
  retried?: { transactions: number; latencyMeanSeconds: number | null };
  /** How far behind its schedule a transaction started; only in rate-limited runs. */
  lagSeconds?: LatencySummary;
  perSecond: SecondOfRun[];
  /** How many transactions had which latency at which time; only of logs of single transactions. */
  latencies?: LatenciesAtTime[];
  /** True when computed from every transaction, false when from aggregates or a sample. */
  exact: boolean;
  /** What is wrong with the log, such as a last line that is cut off. */
  problems?: string[];
}

/** What a log says about one script. In a run without a latency limit, no transaction is late. */
export interface ScriptDigest {
  /** Its number in the log: the first script of the run is 0. */
  script: number;
  transactions: number;
  failedTransactions: number;
  skippedTransactions: number;
  lateTransactions: number;
  latencySeconds: LatencySummary;
}

/** Seconds; null if the log does not say (percentiles of aggregates), or if there were no transactions. */
export interface LatencySummary {
  mean: number | null;
  p50: number | null;
  p90: number | null;
  p95: number | null;
  p99: number | null;
  p999: number | null;
  max: number | null;
}

/** Transactions of one class of latencies in one step of time. There are two classes for each doubling of the latency. */
export interface LatenciesAtTime {
  /** Start of the step, counted as in `perSecond`. */
  second: number;
  /** Length of the step, the same for all: at least 1. */
  seconds: number;
  /** The shortest latency of the class. The next class begins at its 1.41-fold. */
  fromMicros: number;
  transactions: number;
}

export interface SecondOfRun {
  /** Unix time in whole seconds. */
  second: number;
  transactions: number;
  latencyMeanSeconds: number | null;
}
