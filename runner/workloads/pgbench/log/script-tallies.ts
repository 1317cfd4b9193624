import type { LatencySummary, ScriptDigest } from '../../../contract/tool-output.ts';
import { LatencyCounts } from './latency-counts.ts';

/** What became of the transactions of one script. */
export interface ScriptTally {
  latencies: LatencyCounts;
  failed: number;
  skipped: number;
  late: number;
}

/** Counts what became of the transactions, for each script by itself. */
export class ScriptTallies {
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
