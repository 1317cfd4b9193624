import type { LatenciesAtTime, LatencySummary, SecondOfRun } from '../../../contract/tool-output.ts';
import { classOf, numberOfClasses, secondsOfStep, shortestOf } from './latency-classes.ts';

/** In the year 2286. A larger number in a log is not a time. */
export const latestSecond = 1e10;

/** A longer silence is the time between two runs, not a stall of the server. */
const longestStallSeconds = 3600;
/**
 * More silence than this in total is not that of one run. Without a limit, a log of a few lines could fill the memory.
 */
const maxSilenceSeconds = 24 * 3600;

interface Tally {
  transactions: number;
  latencySumMicros: number;
  /** Transactions that were added one by one, by the class of their latency. */
  classes: Uint32Array;
}

function emptyTally(): Tally {
  return { transactions: 0, latencySumMicros: 0, classes: new Uint32Array(numberOfClasses) };
}

/** Counts transactions and sums their latencies for each second in which they ended. Seconds may come in any order. */
export class SecondsOfRun {
  #tallies = new Map<number, Tally>();
  #latestSecond = NaN;
  #latest: Tally = emptyTally();

  add(second: number, transactions: number, latencySumMicros: number): void {
    if (second !== this.#latestSecond) this.#turnTo(second);
    this.#latest.transactions += transactions;
    this.#latest.latencySumMicros += latencySumMicros;
  }

  /** Adds one transaction. */
  addOne(second: number, latencyMicros: number): void {
    if (second !== this.#latestSecond) this.#turnTo(second);
    const tally = this.#latest;
    tally.transactions += 1;
    tally.latencySumMicros += latencyMicros;
    const { classes } = tally;
    const own = classOf(latencyMicros);
    classes[own] = (classes[own] ?? 0) + 1;
  }

  /** How many transactions had which latency, in order of time, and for a long run not by the second. */
  latencies(): LatenciesAtTime[] {
    const seconds = [...this.#tallies.keys()].sort((a, b) => a - b);
    const [first = 0] = seconds;
    const width = secondsOfStep((seconds.at(-1) ?? first) - first + 1);
    const steps = new Map<number, Float64Array>();
    for (const second of seconds) {
      const start = Math.floor(second / width) * width;
      const sums = steps.get(start) ?? new Float64Array(numberOfClasses);
      steps.set(start, sums);
      this.#tallies.get(second)?.classes.forEach((number, at) => (sums[at] = (sums[at] ?? 0) + number));
    }
    return [...steps].flatMap(([second, sums]) =>
      [...sums].flatMap((transactions, at) =>
        transactions === 0 ? [] : [{ second, seconds: width, fromMicros: shortestOf(at), transactions }],
      ),
    );
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
      if (still < longestStallSeconds && silence + still <= maxSilenceSeconds) {
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
      tally = emptyTally();
      this.#tallies.set(second, tally);
    }
    this.#latestSecond = second;
    this.#latest = tally;
  }
}

/** The values of each client, in an array with room for this client, too. */
export function grownFor(client: number, values: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 ** Math.ceil(Math.log2(client + 1)));
  larger.set(values);
  return larger;
}

/** About 4.2 s. */
const countedBelowMicros = 2 ** 22;
/** About 65 ms. Most runs have no longer latencies, and so need no more than 256 KiB. */
const countedAtFirst = 2 ** 16;

/**
 * Exact distribution of times in whole microseconds. Times below 4.2 s are counted, in at most 16 MiB. Longer ones are
 * kept with 8 bytes each; no client can have many of them.
 */
export class LatencyCounts {
  #counts = new Uint32Array(countedAtFirst);
  #slow: number[] = [];
  #number = 0;
  #sumMicros = 0;
  #maxMicros = 0;

  get maxMicros(): number {
    return this.#maxMicros;
  }

  get number(): number {
    return this.#number;
  }

  add(micros: number): void {
    this.#number += 1;
    this.#sumMicros += micros;
    if (micros > this.#maxMicros) this.#maxMicros = micros;
    if (micros >= countedBelowMicros) this.#slow.push(micros);
    else {
      if (micros >= this.#counts.length) this.#growFor(micros);
      this.#counts[micros] = (this.#counts[micros] ?? 0) + 1;
    }
  }

  /** Adds all times of another distribution. */
  addAll(other: LatencyCounts): void {
    this.#number += other.#number;
    this.#sumMicros += other.#sumMicros;
    this.#maxMicros = Math.max(this.#maxMicros, other.#maxMicros);
    this.#growFor(other.#counts.length - 1);
    other.#counts.forEach((count, micros) => (this.#counts[micros] = (this.#counts[micros] ?? 0) + count));
    for (const micros of other.#slow) this.#slow.push(micros);
  }

  /**
   * Percentiles as PostgreSQL's percentile_disc computes them: the smallest time whose cumulative share reaches the
   * percentile.
   */
  summarise(): LatencySummary {
    if (this.#number === 0) return { mean: null, p50: null, p90: null, p95: null, p99: null, p999: null, max: null };
    const slow = Float64Array.from(this.#slow).sort();
    const at = (share: number): number => this.#atRank(Math.ceil(share * this.#number), slow) / 1e6;
    return {
      mean: this.#sumMicros / this.#number / 1e6,
      p50: at(0.5),
      p90: at(0.9),
      p95: at(0.95),
      p99: at(0.99),
      p999: at(0.999),
      max: this.#maxMicros / 1e6,
    };
  }

  #growFor(micros: number): void {
    let length = this.#counts.length;
    if (micros < length) return;
    while (length <= micros) length *= 4;
    const larger = new Uint32Array(Math.min(length, countedBelowMicros));
    larger.set(this.#counts);
    this.#counts = larger;
  }

  #atRank(rank: number, slow: Float64Array): number {
    const fast = this.#number - slow.length;
    if (rank > fast) return slow[rank - fast - 1] ?? this.#maxMicros;
    let micros = 0;
    for (let reached = this.#counts[0] ?? 0; reached < rank; reached += this.#counts[micros] ?? 0) micros += 1;
    return micros;
  }
}
