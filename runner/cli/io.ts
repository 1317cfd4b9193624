import type { Readable, Writable } from 'node:stream';
import { wrapLines } from '../report/media/wrap.ts';

/** Everything of the process that a command may use. Tests pass their own, and so run commands inside their process. */
export interface Io {
  stdin: Readable;
  /** Takes the result, and nothing else. */
  stdout: Writable;
  /** Takes progress, warnings and errors. */
  stderr: Writable;
  environment: Readonly<Record<string, string | undefined>>;
  workingFolder: string;
  /** Whether somebody at a terminal can answer a question. */
  canAnswer: boolean;
  /** Aborts on Ctrl-C and SIGTERM. */
  signal: AbortSignal;
  /** The last line of stderr, which is redrawn in place; null if stderr is not a terminal. */
  statusLine: StatusLine | null;
  /**
   * Width of the terminal that stdout is, in columns; from 60 on, no line that we write to it is longer. Infinity for a
   * pipe or a file: what reads it, such as grep or an editor, needs whole lines. 0 if the terminal does not know its
   * width.
   */
  columns: number;
  /** The same for stderr. */
  errorColumns: number;
  colour: boolean;
  /** Sets the exit code; without a call it is 0. */
  setExitCode(code: ExitCode): void;
}

/** In less, a table has no room, and a text becomes a column of single words. */
const minColumns = 40;

/** An `Io` whose widths are those that text is wrapped to. If one is unknown or too small, the terminal breaks lines. */
export function withUsableWidths(io: Io): Io {
  const usable = (columns: number): number => (columns >= minColumns ? columns : Infinity);
  return { ...io, columns: usable(io.columns), errorColumns: usable(io.errorColumns) };
}

export interface StatusLine {
  show(text: string): void;
  clear(): void;
}

/**
 * 0: fine; a run measured all that it planned. 1: planned trials have no result. 2: the user can correct it. 3: an
 * outside problem that may pass, so a restart is worthwhile. 70: a bug in pgduet. 130: interrupted.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 70 | 130;

/** Writes lines for people, whatever the command's result is. */
export function say(text: string, { stderr, errorColumns }: Pick<Io, 'stderr' | 'errorColumns'>): void {
  stderr.write(`${wrapLines(text, errorColumns)}\n`);
}

/** The reason to end, if what went wrong was already said. */
export class ReportedError extends Error {}
