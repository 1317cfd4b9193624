import type { LatencyDigest, LatencySummary, LoggedLoad, ScriptDigest } from '../../../contract/tool-output.ts';
import { grownFor, LatencyCounts, latestSecond, SecondsOfRun } from './tallies.ts';
import { TransactionNumbers } from './transaction-numbers.ts';
import type { LogLine } from './log-lines.ts';

/** Without --rate, the 7th column counts retries. Nobody lets a transaction be retried this often. */
const moreThanRetries = 10_000;
/** Each client has a connection, and Linux lets a process open no more files than this. */
const maxClients = 2 ** 20;
/** MAX_SCRIPTS of pgbench. */
const maxScripts = 128;
const failedKinds = new Set(['failed', 'serialization', 'deadlock', 'other']);

export const transactionLineExpected =
  'client_id transaction_no time script_no time_epoch time_us [schedule_lag] [retries]';

/**
 * Recognises lines by time_epoch and time_us. An aggregate with 6 fields has a minimum and a maximum there, so its
 * first number is never the larger one. The other fields must be possible numbers; no time is longer than Unix time.
 */
export function isTransactionLine({ count, values }: LogLine): boolean {
  const [client = NaN, number = NaN, , script = NaN, second = NaN, micros = NaN, lag = NaN, retries = NaN] = values;
  return (
    count >= 6 &&
    count <= 8 &&
    second >= 1e9 &&
    second <= latestSecond &&
    micros < 1e6 &&
    client < maxClients &&
    number >= 0 &&
    number <= Number.MAX_SAFE_INTEGER &&
    script < maxScripts &&
    (count < 7 || lag <= second * 1e6) &&
    (count < 8 || retries <= Number.MAX_SAFE_INTEGER)
  );
}

/** Reads the lines of the logs of one run in which each line is one transaction. */
export class TransactionLog {
  readonly expected = transactionLineExpected;
  #scripts = new ScriptTallies();
  #lags = new LatencyCounts();
  #failedTurns = new FailedTurns();
  #retried = { transactions: 0, latencySumMicros: 0 };
  #limitMicros: number;
  #seconds = new SecondsOfRun();
  #numbers = new TransactionNumbers();
  #transactions = 0;
  #failed = 0;
  #skipped = 0;
  #fields: number;

  #startSecond: number;
  #startMicros: number;

  /** @param startedAt when the first second begins. Without it, seconds are those of the clock, as in the log */
  constructor(first: LogLine, startedAt?: Date, latencyLimitMicros = Infinity) {
    this.#fields = first.count;
    this.#limitMicros = latencyLimitMicros;
    const at = startedAt?.getTime() ?? 0;
    this.#startSecond = Math.floor(at / 1000);
    this.#startMicros = (at % 1000) * 1000;
  }

  /** Returns false if the line is not of the same kind as the first one. */
  take(line: LogLine): boolean {
    const { values } = line;
    if (line.count !== this.#fields || !isTransactionLine(line)) return false;
    const [failedBefore, skippedBefore] = [this.#failed, this.#skipped];
    if (line.words > 0 ? !this.#takeWord(line) : !this.#takeTimes(line)) return false;
    const [client = 0, number = 0, , , second = 0, micros = 0] = values;
    const follows = this.#numbers.take(client, number, this.#skipped > skippedBefore);
    this.#failedTurns.take(client, second * 1e6 + micros, { follows, failed: this.#failed > failedBefore });
    return true;
  }

  /** @param isSample whether transactions are missing on purpose (--sampling-rate) */
  digest(hasLag: LoggedLoad['hasLag'], losses: readonly string[], isSample: boolean): LatencyDigest {
    const problems = [...losses, ...this.#numbers.problems({ mayMiss: isSample })];
    const exact = problems.length === 0 && !isSample;
    const lag = this.#hasLag(hasLag);
    if (lag === null) {
      problems.push('the 7th column may be lag or retries, so pgduet skipped it (a run with --rate has lag)');
    }
    return {
      transactions: this.#transactions,
      failedTransactions: this.#failed,
      skippedTransactions: this.#skipped,
      latencySeconds: this.#scripts.summarise(),
      scripts: this.#scripts.digests(),
      // The transactions before the failed ones are not all in a sample.
      failedTurnSeconds: isSample ? null : this.#failedTurns.meanSeconds,
      ...(this.#fields === 8 || (this.#fields === 7 && lag === false) ? { retried: this.#meanOfRetried() } : {}),
      ...(lag === true ? { lagSeconds: this.#lags.summarise() } : {}),
      perSecond: this.#seconds.series(),
      latencies: this.#seconds.latencies(),
      exact,
      problems,
    };
  }

  /** Returns false if the latency is longer than Unix time. */
  #takeTimes({ count, values }: LogLine): boolean {
    const [, , latencyMicros = 0, script = 0, second = 0, micros = 0, lagMicros = 0] = values;
    if (latencyMicros > second * 1e6) return false;
    this.#transactions += 1;
    const tally = this.#scripts.of(script);
    tally.latencies.add(latencyMicros);
    if (latencyMicros > this.#limitMicros) tally.late += 1;
    if (count > 6) {
      this.#lags.add(lagMicros);
      // The last column counts retries, unless it is the 7th and holds lags.
      if ((values[count - 1] ?? 0) > 0) {
        this.#retried.transactions += 1;
        this.#retried.latencySumMicros += latencyMicros;
      }
    }
    this.#seconds.addOne(second - this.#startSecond - (micros < this.#startMicros ? 1 : 0), latencyMicros);
    return true;
  }

  #takeWord(line: LogLine): boolean {
    if (line.words > 1 || !Number.isNaN(line.values[2])) return false;
    const word = line.text().split(' ')[2] ?? '';
    const tally = this.#scripts.of(line.values[3] ?? 0);
    if (word === 'skipped') {
      this.#skipped += 1;
      tally.skipped += 1;
    } else if (failedKinds.has(word)) {
      this.#failed += 1;
      tally.failed += 1;
    } else return false;
    return true;
  }

  #meanOfRetried(): NonNullable<LatencyDigest['retried']> {
    const { transactions, latencySumMicros } = this.#retried;
    return { transactions, latencyMeanSeconds: transactions === 0 ? null : latencySumMicros / transactions / 1e6 };
  }

  /** Whether there is a column for the lag; null if this is unknown. */
  #hasLag(declared: boolean | undefined): boolean | null {
    if (this.#fields !== 7) return this.#fields === 8;
    if (declared !== undefined) return declared;
    return this.#skipped > 0 || this.#lags.maxMicros >= moreThanRetries ? true : null;
  }
}

/**
 * How long failed transactions took. The log has no latency for them, but it says when each transaction of a client
 * ended. From the end of the transaction before until a failed one ended, the client was busy with the failed one.
 */
class FailedTurns {
  /** When the last transaction of each client ended, in microseconds; 0 before its first one. */
  #ended = new Float64Array(1024);
  #number = 0;
  #sumMicros = 0;

  /** @param follows whether the transaction before is in the log, too */
  take(client: number, endedMicros: number, { follows, failed }: { follows: boolean; failed: boolean }): void {
    if (client >= this.#ended.length) this.#ended = grownFor(client, this.#ended);
    const before = this.#ended[client] ?? 0;
    // If the clock was set back, the difference means nothing.
    if (failed && follows && before > 0 && endedMicros >= before) {
      this.#number += 1;
      this.#sumMicros += endedMicros - before;
    }
    this.#ended[client] = endedMicros;
  }

  /** null if there are none. The first transaction of a client has none before it, and is left out. */
  get meanSeconds(): number | null {
    return this.#number === 0 ? null : this.#sumMicros / this.#number / 1e6;
  }
}

/** What became of the transactions of one script. */
export interface ScriptTally {
  latencies: LatencyCounts;
  failed: number;
  skipped: number;
  late: number;
}

/** Counts what became of the transactions, for each script by itself. */
class ScriptTallies {
  #tallies: (ScriptTally | undefined)[] = [];

  of(script: number): ScriptTally {
    return (this.#tallies[script] ??= { latencies: new LatencyCounts(), failed: 0, skipped: 0, late: 0 });
  }

  /** All scripts that the log has, by their numbers. */
  digests(): ScriptDigest[] {
    return this.#tallies.flatMap((tally, script) => {
      if (!tally) return [];
      const { latencies, failed, skipped, late } = tally;
      return [
        {
          script,
          transactions: latencies.number,
          failedTransactions: failed,
          skippedTransactions: skipped,
          lateTransactions: late,
          latencySeconds: latencies.summarise(),
        },
      ];
    });
  }

  /** The latencies of all scripts together. */
  summarise(): LatencySummary {
    const all = this.#tallies.flatMap((tally) => tally?.latencies ?? []);
    const [first] = all;
    if (first && all.length === 1) return first.summarise();
    const together = new LatencyCounts();
    for (const latencies of all) together.addAll(latencies);
    return together.summarise();
  }
}
