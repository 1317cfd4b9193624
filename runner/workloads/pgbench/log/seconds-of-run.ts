import type { SecondOfRun } from '../../../contract/tool-output.ts';

/** In the year 2286. A larger number in a log is not a time. */
export const latestSecond = 1e10;

/** A longer silence is the time between two runs, not a stall of the server. */
const longestStallSeconds = 3600;
/**
 * More silence than this in total is not that of one run. Without a limit, a log of a few lines could fill the memory.
 */
const mostSilenceSeconds = 24 * 3600;

interface Tally {
  transactions: number;
  latencySumMicros: number;
}

/** Counts transactions and sums their latencies for each second in which they ended. Seconds may come in any order. */
export class SecondsOfRun {
  #tallies = new Map<number, Tally>();
  #latestSecond = NaN;
  #latest: Tally = { transactions: 0, latencySumMicros: 0 };

  add(second: number, transactions: number, latencySumMicros: number): void {
    if (second !== this.#latestSecond) this.#turnTo(second);
    this.#latest.transactions += transactions;
    this.#latest.latencySumMicros += latencySumMicros;
  }

  /**
   * The seconds in order of time. Seconds in which nothing ended are included: a stall of the server is part of the
   * run.
   */
  series(): SecondOfRun[] {
    const series: SecondOfRun[] = [];
    let silence = 0;
    for (const second of [...this.#tallies.keys()].sort((a, b) => a - b)) {
      const previous = series.at(-1)?.second ?? second;
      const still = second - previous - 1;
      if (still < longestStallSeconds && silence + still <= mostSilenceSeconds) {
        silence += Math.max(0, still);
        for (let between = previous + 1; between < second; between += 1) {
          series.push({ second: between, transactions: 0, latencyMeanSeconds: null });
        }
      }
      const { transactions, latencySumMicros } = this.#tallies.get(second) ?? this.#latest;
      const latencyMeanSeconds = transactions === 0 ? null : latencySumMicros / transactions / 1e6;
      series.push({ second, transactions, latencyMeanSeconds });
    }
    return series;
  }

  /** Looks a second up once, not for every transaction: logs are almost in order of time. */
  #turnTo(second: number): void {
    let tally = this.#tallies.get(second);
    if (!tally) {
      tally = { transactions: 0, latencySumMicros: 0 };
      this.#tallies.set(second, tally);
    }
    this.#latestSecond = second;
    this.#latest = tally;
  }
}
