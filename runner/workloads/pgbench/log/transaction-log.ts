import type { LatencyDigest } from '../../../contract/tool-output.ts';
import { LatencyCounts } from './latency-counts.ts';
import type { LogLine } from './log-lines.ts';
import { latestSecond, SecondsOfRun } from './seconds-of-run.ts';
import { TransactionNumbers } from './transaction-numbers.ts';

/** Without --rate, the 7th column counts retries. Nobody lets a transaction be retried this often. */
const moreThanRetries = 10_000;
/** Each client has a connection, and Linux opens no more files than this for a process. */
const mostClients = 2 ** 20;
/** MAX_SCRIPTS of pgbench. */
const mostScripts = 128;
const failures = new Set(['failed', 'serialization', 'deadlock', 'other']);

export const transactionLineExpected =
  'client_id transaction_no time script_no time_epoch time_us [schedule_lag] [retries]';

/**
 * Tells lines by time_epoch and time_us. In the same two fields of an aggregate with 6 fields, the first number is never
 * the larger one. The other fields are possible numbers; no time is longer than Unix time.
 */
export function isTransactionLine({ count, values }: LogLine): boolean {
  const [client = NaN, number = NaN, , script = NaN, second = NaN, micros = NaN, lag = NaN, retries = NaN] = values;
  return (
    count >= 6 &&
    count <= 8 &&
    second >= 1e9 &&
    second <= latestSecond &&
    micros < 1e6 &&
    client < mostClients &&
    number >= 1 &&
    number <= Number.MAX_SAFE_INTEGER &&
    script < mostScripts &&
    (count < 7 || lag <= second * 1e6) &&
    (count < 8 || retries <= Number.MAX_SAFE_INTEGER)
  );
}

/** Reads the lines of the logs of one run in which each line is one transaction. */
export class TransactionLog {
  readonly expected = transactionLineExpected;
  #latencies = new LatencyCounts();
  #lags = new LatencyCounts();
  #seconds = new SecondsOfRun();
  #numbers = new TransactionNumbers();
  #transactions = 0;
  #failed = 0;
  #skipped = 0;
  #fields: number;

  #startSecond: number;
  #startMicros: number;

  /** @param startedAt where the first second begins; as in the log, by the seconds of the clock, if it is not given */
  constructor(first: LogLine, startedAt?: Date) {
    this.#fields = first.count;
    const at = startedAt?.getTime() ?? 0;
    this.#startSecond = Math.floor(at / 1000);
    this.#startMicros = (at % 1000) * 1000;
  }

  /** Returns false if the line is not of the same kind as the first one. */
  take(line: LogLine): boolean {
    const { values } = line;
    if (line.count !== this.#fields || !isTransactionLine(line)) return false;
    if (line.words > 0 ? !this.#takeWord(line) : !this.#takeTimes(line)) return false;
    this.#numbers.take(values[0] ?? 0, values[1] ?? 0);
    return true;
  }

  digest(hasLag: boolean | undefined, losses: readonly string[]): LatencyDigest {
    const problems = [...losses, ...this.#numbers.problems()];
    const exact = problems.length === 0;
    const lag = this.#hasLag(hasLag);
    if (lag === null) {
      problems.push('the 7th column may be of lags or of retries: it was left out (a run with --rate has lags)');
    }
    return {
      transactions: this.#transactions,
      failedTransactions: this.#failed,
      skippedTransactions: this.#skipped,
      latencySeconds: this.#latencies.summarise(),
      ...(lag === true ? { lagSeconds: this.#lags.summarise() } : {}),
      perSecond: this.#seconds.series(),
      exact,
      problems,
    };
  }

  /** Returns false if the latency is longer than there has been Unix time. */
  #takeTimes({ count, values }: LogLine): boolean {
    const [, , latencyMicros = 0, , second = 0, micros = 0, lagMicros = 0] = values;
    if (latencyMicros > second * 1e6) return false;
    this.#transactions += 1;
    this.#latencies.add(latencyMicros);
    if (count > 6) this.#lags.add(lagMicros);
    this.#seconds.add(second - this.#startSecond - (micros < this.#startMicros ? 1 : 0), 1, latencyMicros);
    return true;
  }

  #takeWord(line: LogLine): boolean {
    if (line.words > 1 || !Number.isNaN(line.values[2])) return false;
    const word = line.text().split(' ')[2] ?? '';
    if (word === 'skipped') this.#skipped += 1;
    else if (failures.has(word)) this.#failed += 1;
    else return false;
    return true;
  }

  /** Whether there is a column for the lag; null if this cannot be told. */
  #hasLag(said: boolean | undefined): boolean | null {
    if (this.#fields !== 7) return this.#fields === 8;
    if (said !== undefined) return said;
    return this.#skipped > 0 || this.#lags.maxMicros >= moreThanRetries ? true : null;
  }
}
