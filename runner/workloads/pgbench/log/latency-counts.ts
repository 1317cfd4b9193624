import type { LatencySummary } from '../../../contract/tool-output.ts';

/** About 4.2 s. */
const countedBelowMicros = 2 ** 22;
/** About 65 ms. Most runs have no longer latencies, and so need no more than 256 KiB. */
const countedAtFirst = 2 ** 16;
const blockLength = 2 ** 16;

/**
 * Exact distribution of times in whole microseconds. Times below 4.2 s are counted, in at most 16 MiB. Longer ones are
 * kept with 8 bytes each; no client can have many of them.
 */
export class LatencyCounts {
  #counts = new Uint32Array(countedAtFirst);
  #slow: Float64Array[] = [];
  #slowInLast = blockLength;
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
    if (micros >= countedBelowMicros) this.#keep(micros);
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
    for (const micros of other.#sortedSlow()) this.#keep(micros);
  }

  /**
   * Percentiles as PostgreSQL's percentile_disc computes them: the smallest time whose cumulative share reaches the
   * percentile.
   */
  summarise(): LatencySummary {
    if (this.#number === 0) return { mean: null, p50: null, p90: null, p95: null, p99: null, p999: null, max: null };
    const slow = this.#sortedSlow();
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

  #keep(micros: number): void {
    if (this.#slowInLast === blockLength) {
      this.#slow.push(new Float64Array(blockLength));
      this.#slowInLast = 0;
    }
    const last = this.#slow.at(-1);
    if (last) last[this.#slowInLast] = micros;
    this.#slowInLast += 1;
  }

  #sortedSlow(): Float64Array {
    const all = new Float64Array(Math.max(0, this.#slow.length * blockLength - (blockLength - this.#slowInLast)));
    this.#slow.forEach((block, index) =>
      all.set(index === this.#slow.length - 1 ? block.subarray(0, this.#slowInLast) : block, index * blockLength),
    );
    return all.sort();
  }

  #atRank(rank: number, slow: Float64Array): number {
    const fast = this.#number - slow.length;
    if (rank > fast) return slow[rank - fast - 1] ?? this.#maxMicros;
    let micros = 0;
    for (let reached = this.#counts[0] ?? 0; reached < rank; reached += this.#counts[micros] ?? 0) micros += 1;
    return micros;
  }
}
