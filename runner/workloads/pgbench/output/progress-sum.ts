import type { ToolRun } from '../../../contract/tool-output.ts';
import { parseProgressLine } from './parse-progress.ts';

/** Intervals that differ by a larger share are not all there, or something stalled. */
const uneven = 0.5;
/** Speeds and times are printed with one decimal. */
const rounding = 0.05;

/** What lines of progress add up to. It keeps none of them: there may be hundreds of thousands. */
export class ProgressSum {
  #lines = 0;
  #firstSeconds = 0;
  #lastSeconds = 0;
  #interval = 0;
  #tps = 0;
  #isEven = true;

  take(line: string): void {
    const progress = parseProgressLine(line);
    if (progress === null) return;
    const { elapsedSeconds, tps } = progress;
    this.#lines += 1;
    this.#tps += tps;
    const interval = elapsedSeconds - this.#lastSeconds;
    this.#lastSeconds = elapsedSeconds;
    if (this.#lines === 1) this.#firstSeconds = elapsedSeconds;
    if (this.#lines === 2) this.#interval = interval;
    if (this.#lines > 2) this.#isEven &&= Math.abs(interval - this.#interval) <= uneven * this.#interval;
  }

  /** The time from the start to the last line, and its mean speed; null if lines are missing, or something stalled. */
  get covered(): { seconds: number; tps: number } | null {
    // With the time of day, nothing shows the length of the first interval.
    const isFromStart = this.#firstSeconds > 1e9 || this.#firstSeconds <= (1 + uneven) * this.#interval;
    if (this.#lines < 2 || this.#interval < 0.5 || !this.#isEven || !isFromStart) return null;
    return { seconds: this.#lines * this.#interval, tps: this.#tps / this.#lines };
  }
}

/** By which factor the two may differ: no recorded output comes near it. */
const tolerance = 1.5;

/**
 * Which numbers of transactions contradict each other, in words; null if none do. No progress is printed for what comes
 * after the last whole interval. Before 15, it includes skipped transactions.
 */
export function contradictsProgress(
  progress: ProgressSum,
  { transactions, failedTransactions, skippedTransactions, clients, tps }: ToolRun,
): string | null {
  const { covered } = progress;
  if (covered === null || transactions === null) return null;
  const { seconds } = covered;
  const all = transactions + (failedTransactions ?? 0) + (skippedTransactions ?? 0);
  const isMore = (covered.tps - rounding) * seconds > tolerance * all + 1;
  const share = tps === null ? 0 : Math.min(1, (seconds * tps) / transactions);
  // Each client may end a transaction behind the last line, however long that began before.
  const before = share * transactions - (clients ?? 0);
  const isFewer = tolerance * ((covered.tps + rounding) * seconds + 1) < before;
  if (!isMore && !isFewer) return null;
  return `its progress reports about ${(covered.tps * seconds).toFixed(0)} transactions, its summary ${transactions}`;
}
