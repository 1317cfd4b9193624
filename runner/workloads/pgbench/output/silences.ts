import { parseOwnProgress } from './parse-progress.ts';

export interface Silences {
  /** Longest time until a line of progress, from the one before or the begin; null if there are not two. pgbench prints one every second. */
  gapSeconds: number | null;
  /** Longest time by these lines in which no transaction ended, failed or was skipped; null if there are not two. */
  silentSeconds: number | null;
}

/**
 * The silences of a run by its lines of progress. These tell a server that stands still, under which pgbench goes on to print,
 * from a pgbench that does.
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
    const ended = line.tps > 0 || (line.failedTransactions ?? 0) > 0 || (line.skippedTransactions ?? 0) > 0;
    // Of a long interval, nobody knows in which of its seconds transactions ended.
    silent = ended ? Math.max(0, seconds - 2) : silent + seconds;
    longest = Math.max(longest, silent);
    if (ended) silent = 0;
  }
  return { gapSeconds: gap, silentSeconds: longest };
}
