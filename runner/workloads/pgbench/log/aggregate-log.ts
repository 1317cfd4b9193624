import type { LatencyDigest, LatencySummary } from '../../../contract/tool-output.ts';
import type { LogLine } from './log-lines.ts';
import { latestSecond, SecondsOfRun } from './tallies.ts';

/**
 * Possible numbers of fields: 6; 10 with --rate; 11 if there is also --latency-limit; always 15 from PostgreSQL 15 on,
 * and 16 from 19 on.
 */
const counts = new Set([6, 10, 11, 15, 16]);

/** Fields that may be larger than exact integers: sum_latency_2 and sum_lag_2. */
const sumsOfSquares = new Set([3, 7]);

export const aggregateLineExpected =
  'interval_start num_transactions sum_latency sum_latency_2 min_latency max_latency [sum_lag sum_lag_2 min_lag max_lag [skipped [retried retries serialization_failures deadlock_failures]]]';

export function isAggregateLine(line: LogLine): boolean {
  const { count, values, words } = line;
  if (!counts.has(count) || words > 0) return false;
  const [start = 0] = values;
  const transactions = carriedOut(line);
  return (
    start >= 1e9 &&
    start <= latestSecond &&
    transactions >= 0 &&
    values.subarray(0, count).every((value, field) => sumsOfSquares.has(field) || value <= Number.MAX_SAFE_INTEGER) &&
    isOfTimes(transactions, values.subarray(2, 6)) &&
    (count < 10 || isOfTimes(transactions, values.subarray(6, 10)))
  );
}

/** Up to PostgreSQL 14, the number of transactions includes the skipped ones. */
function carriedOut({ count, values }: LogLine): number {
  const [, transactions = 0] = values;
  return count === 11 ? transactions - (values[10] ?? 0) : transactions;
}

/** Whether this number of times can have this sum, sum of squares, minimum and maximum, all of them rounded. */
function isOfTimes(number: number, [sum = 0, squares = 0, min = 0, max = 0]: Float64Array): boolean {
  const atMost = (a: number, b: number): boolean => a <= b * (1 + 1e-9) + number;
  return (
    min <= max &&
    // Without a time there is no maximum. The sums below do not check that.
    (number > 0 || max === 0) &&
    atMost(number * min, sum) &&
    atMost(sum, number * max) &&
    atMost(sum * sum, number * squares) &&
    atMost(squares, sum * max)
  );
}

/** Reads the lines of logs with --aggregate-interval. These logs do not have the last interval of every thread. */
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
  /** From one line to the next; null until there are two lines in a file. */
  #intervalSeconds: number | null = null;
  #outOfStep = 0;

  constructor(first: LogLine) {
    this.#fields = first.count;
  }

  /** Returns false if the line is not of the same kind as the first one. */
  take(line: LogLine): boolean {
    if (line.count !== this.#fields || !isAggregateLine(line)) return false;
    const value = (field: number): number => (field < line.count ? (line.values[field] ?? 0) : 0);
    const start = value(0);
    const transactions = carriedOut(line);
    this.#transactions += transactions;
    this.#skipped += value(10);
    this.#failed += value(13) + value(14) + value(15);
    accumulate(this.#latency, value(2), value(5));
    accumulate(this.#lag, value(6), value(9));
    this.#seconds.add(start, transactions, value(2));
    if (this.#previous.path === line.path) {
      this.#intervalSeconds ??= start - this.#previous.start;
      // pgbench logs every interval, even one without transactions.
      if (start - this.#previous.start !== this.#intervalSeconds || this.#intervalSeconds < 1) this.#outOfStep += 1;
    }
    this.#previous = { path: line.path, start };
    return true;
  }

  digest(hasLag: boolean | undefined, losses: readonly string[]): LatencyDigest {
    const problems = [...losses];
    if (this.#outOfStep > 0) {
      problems.push(
        `${this.#outOfStep.toLocaleString('en')} intervals do not follow the one before: lines are missing, repeated or out of order, or the logs are from several runs`,
      );
    }
    const perSecond = this.#intervalSeconds === 1;
    if (!perSecond) problems.push('aggregated over more than one second, or only once: no per-second series');
    // From PostgreSQL 15 on, there are columns for the lag even without --rate.
    const lag = this.#fields > 6 && (hasLag ?? (this.#fields < 15 || this.#lag.sumMicros > 0));
    return {
      transactions: this.#transactions,
      // Since PostgreSQL 15, there may be failures; without --failures-detailed, their columns are 0.
      failedTransactions: this.#failed === 0 && this.#fields >= 15 ? null : this.#failed,
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
