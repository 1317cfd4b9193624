/** One `-P` line: the state of a run in progress. Times are in seconds. */
export interface ProgressLine {
  /** Time since the start, or the time of day with --progress-timestamp. */
  elapsedSeconds: number;
  tps: number;
  /** Whether a transaction ended, failed or was skipped since the line before. */
  isActive: boolean;
}

const progressLine = /^progress: ([\d.]+) s, ([\d.]+) tps, lat \S+ ms stddev [\d.naN+-]+(.*)$/;

/**
 * Reads lines such as `progress: 5.0 s, 983.1 tps, lat 8.1 ms stddev 2.2, 0 failed, lag 0.1 ms, 3 skipped`. Versions
 * before 15 print no failures; those before 9.6 print no stddev for an empty interval.
 *
 * @returns null for any other line
 */
export function parseProgressLine(line: string): ProgressLine | null {
  const [, elapsed, tps, rest = ''] = progressLine.exec(line.trim()) ?? [];
  if (elapsed === undefined) return null;
  const isActive = Number(tps) > 0 || /, 0*[1-9]\d* (?:failed|skipped)/.test(rest);
  return { elapsedSeconds: Number(elapsed), tps: Number(tps), isActive };
}

/** Unix time of a day in 2001. */
const earliest = 1e9;

/**
 * The line of progress within a line of our own run's stderr. The load may have printed something before it, without a
 * newline. In saved outputs, such a line may be damaged, and is not read.
 *
 * @returns null if there is none
 */
export function ownProgressIn(line: string): string | null {
  const found = line.slice(Math.max(0, line.lastIndexOf('progress: ')));
  const progress = parseProgressLine(found);
  // Our runs print the time of day. A load may print anything, even something that looks like one of pgbench's lines.
  return progress === null || progress.elapsedSeconds < earliest ? null : found;
}

/** Reads the line of progress within a line of our own run's stderr. @returns null if there is none */
export function parseOwnProgress(line: string): ProgressLine | null {
  return parseProgressLine(ownProgressIn(line) ?? '');
}

export interface Silences {
  /**
   * Longest time from one line of progress (or the start) to the next; null if there are fewer than two. pgbench prints
   * one every second.
   */
  gapSeconds: number | null;
  /**
   * Longest time, by these lines, in which no transaction ended, failed or was skipped; null if there are fewer than
   * two.
   */
  silentSeconds: number | null;
}

/**
 * The silences of a run, by its lines of progress. If the server stalls, pgbench continues to print; if pgbench itself
 * stalls, it does not.
 *
 * @param begin when the clients were connected, as a Unix time in seconds; null if it is not known
 */
export function silencesOf(stderr: string, begin: number | null): Silences {
  const lines = stderr.split(/[\n\r]/).flatMap((line) => parseOwnProgress(line) ?? []);
  if (lines.length < 2) return { gapSeconds: null, silentSeconds: null };
  let [gap, longest, silent] = [0, 0, 0];
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1]?.elapsedSeconds ?? begin;
    const seconds = before === null ? 1 : line.elapsedSeconds - before;
    gap = Math.max(gap, seconds);
    // It is unknown in which seconds of a long interval transactions ended.
    silent = line.isActive ? Math.max(0, seconds - 2) : silent + seconds;
    longest = Math.max(longest, silent);
    if (line.isActive) silent = 0;
  }
  return { gapSeconds: gap, silentSeconds: longest };
}
