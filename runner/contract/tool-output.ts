/** What a load generator's own output says about one run. What the output does not say is null, never a guess. */
export interface Run {
  tool: string;
  clientVersion: string | null;
  serverVersion: string | null;
  clients: number | null;
  threads: number | null;
  scale: number | null;
  scripts: RunScript[];
  /** Transactions that were carried out to their end. */
  transactions: number | null;
  failedTransactions: number | null;
  skippedTransactions: number | null;
  retriedTransactions: number | null;
  durationSeconds: number | null;
  /** Transactions per second without the time to connect, if the tool tells both. */
  tps: number | null;
  latencyAverageSeconds: number | null;
  latencyStddevSeconds: number | null;
  /** New orders per minute; only of tools that tell it. */
  nopm?: number | null;
  /** Commits and rollbacks of the server per minute; only of tools that tell it. */
  tpm?: number | null;
  /** False if the run was aborted or killed, or if its output is cut off. Such a run is never a measurement. */
  complete: boolean;
  problems: string[];
}

export interface RunScript {
  name: string;
  weight: number | null;
  transactions: number | null;
  tps: number | null;
  latencyAverageSeconds: number | null;
  /** Percentiles; only of tools that tell them for each script. */
  latencySeconds?: Pick<LatencySummary, 'p50' | 'p95' | 'p99'>;
}

/** Percentiles and per-second series of the latencies of one run; contract: `digest --json`. */
export interface LatencyDigest {
  transactions: number;
  failedTransactions: number;
  skippedTransactions: number;
  latencySeconds: LatencySummary;
  /** How far behind its schedule a transaction started; only in rate-limited runs. */
  lagSeconds?: LatencySummary;
  perSecond: SecondOfRun[];
  /** True when computed from every transaction, false when from aggregates or a sample. */
  exact: boolean;
  /** What is wrong with the log, such as a last line that is cut off. */
  problems?: string[];
}

/** Seconds; null if the log cannot tell (percentiles of aggregates), or if there were no transactions. */
export interface LatencySummary {
  mean: number | null;
  p50: number | null;
  p90: number | null;
  p95: number | null;
  p99: number | null;
  p999: number | null;
  max: number | null;
}

export interface SecondOfRun {
  /** Unix time in whole seconds. */
  second: number;
  transactions: number;
  latencyMeanSeconds: number | null;
}
