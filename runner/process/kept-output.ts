/** The end of an output, in bounded memory whatever a program prints. */
export interface KeptOutput {
  take(text: string): void;
  /** What comes next does not follow what came last. */
  skip(): void;
  text(): string;
}

/** Longer than any line that means something to us. */
const longestLine = 64 * 1024;

/**
 * Keeps the last characters of an output, at least half of `most` and at most all of it, and hands its lines out.
 *
 * @param onLine receives each line that is not empty when its end has come
 */
export function keepEnd(most: number, onLine?: (line: string) => void): KeptOutput {
  let [older, newer] = ['', ''];
  let unfinished = '';
  return {
    take(text) {
      newer += text;
      if (newer.length > most / 2) [older, newer] = [newer.slice(-most / 2), ''];
      if (!onLine) return;
      // pgbench ends a progress line with a carriage return if it will overwrite the line.
      const lines = (unfinished + text).split(/[\n\r]/);
      unfinished = (lines.pop() ?? '').slice(-longestLine);
      for (const line of lines) if (line !== '') onLine(line);
    },
    skip() {
      [older, newer, unfinished] = ['', '', ''];
    },
    text: () => older + newer,
  };
}
