import type { LatencyDigest, LatencySummary } from '../../../contract/tool-output.ts';
import type { LogLine } from './log-lines.ts';
import { SecondsOfRun } from './seconds-of-run.ts';

/**
 * Possible numbers of fields: 6; 10 with --rate; 11 with --latency-limit, too; always 15 from PostgreSQL 15 on, and 16 from
 * 19 on.
 */
const counts = new Set([6, 10, 11, 15, 16]);

export const aggregateLineExpected =
  'interval_start num_transactions sum_latency sum_latency_2 min_latency max_latency [sum_lag sum_lag_2 min_lag max_lag [skipped [retried retries serialization_failures deadlock_failures]]]';

export function isAggregateLine({ count, values, words }: LogLine): boolean {
  return counts.has(count) && words === 0 && (values[4] ?? 0) <= (values[5] ?? 0);
}

/** Reads the lines of logs with --aggregate-interval. These logs lack the last interval of every thread. */
export class AggregateLog {
  readonly expected = aggregateLineExpected;
  #latency = { sumMicros: 0, maxMicros: 0 };
  #lag = { sumMicros: 0, maxMicros: 0 };
  #seconds = new SecondsOfRun();
  #transactions = 0;
  #failed = 0;
  #skipped = 0;
  #fields: number;
  #previous = { path: '', start: 0 };
  #shortestIntervalSeconds = Infinity;

  constructor(first: LogLine) {
    this.#fields = first.count;
  }

  /** Returns false if the line is not of the same kind as the first one. */
  take(line: LogLine): boolean {
    if (line.count !== this.#fields || !isAggregateLine(line)) return false;
    const value = (field: number): number => (field < line.count ? (line.values[field] ?? 0) : 0);
    const [start, skipped] = [value(0), value(10)];
    // Up to PostgreSQL 14, the number of transactions includes the skipped ones.
    const transactions = line.count < 15 ? value(1) - skipped : value(1);
    this.#transactions += transactions;
    this.#skipped += skipped;
    this.#failed += value(13) + value(14) + value(15);
    accumulate(this.#latency, value(2), value(5));
    accumulate(this.#lag, value(6), value(9));
    this.#seconds.add(start, transactions, value(2));
    if (this.#previous.path === line.path) {
      this.#shortestIntervalSeconds = Math.min(this.#shortestIntervalSeconds, start - this.#previous.start);
    }
    this.#previous = { path: line.path, start };
    return true;
  }

  digest(hasLag: boolean | undefined, problems: string[]): LatencyDigest {
    const perSecond = this.#shortestIntervalSeconds === 1;
    if (!perSecond) problems.push('aggregated over more than a second (or once only): no series by the second');
    // From PostgreSQL 15 on, there are columns for the lag even without --rate.
    const lag = this.#fields > 6 && (hasLag ?? (this.#fields < 15 || this.#lag.sumMicros > 0));
    return {
      transactions: this.#transactions,
      failedTransactions: this.#failed,
      skippedTransactions: this.#skipped,
      latencySeconds: this.#summary(this.#latency),
      ...(lag ? { lagSeconds: this.#summary(this.#lag) } : {}),
      perSecond: perSecond ? this.#seconds.series() : [],
      exact: false,
      problems,
    };
  }

  #summary({ sumMicros, maxMicros }: { sumMicros: number; maxMicros: number }): LatencySummary {
    const some = this.#transactions > 0;
    return {
      mean: some ? sumMicros / this.#transactions / 1e6 : null,
      p50: null,
      p90: null,
      p95: null,
      p99: null,
      p999: null,
      max: some ? maxMicros / 1e6 : null,
    };
  }
}

function accumulate(into: { sumMicros: number; maxMicros: number }, sumMicros: number, maxMicros: number): void {
  into.sumMicros += sumMicros;
  into.maxMicros = Math.max(into.maxMicros, maxMicros);
}
