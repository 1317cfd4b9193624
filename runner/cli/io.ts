import type { Command } from 'commander';
import type { Readable, Writable } from 'node:stream';

/** Everything of the process that a command may use. Tests give their own, and so run commands inside their process. */
export interface Io {
  stdin: Readable;
  /** Takes the result, and nothing else. */
  stdout: Writable;
  /** Takes progress, warnings and errors. */
  stderr: Writable;
  environment: Readonly<Record<string, string | undefined>>;
  workingFolder: string;
  /** Aborts on Ctrl-C and SIGTERM. */
  signal: AbortSignal;
  /** The last line of stderr, which is drawn over; null if stderr is no terminal. */
  statusLine: StatusLine | null;
  /** Width of the terminal in columns; we write no longer line. */
  columns: number;
  colour: boolean;
  /** Sets the exit code; without a call it is 0. */
  setExitCode(code: ExitCode): void;
}

export interface StatusLine {
  show(text: string): void;
  clear(): void;
}

/**
 * 0: fine. 1: a trial failed. 2: the user can put it right. 3: trouble outside that may pass, worth a restart. 70: a bug of
 * ours. 130: interrupted.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 70 | 130;

/** Adds one command to the program. What it does has a file of its own in `actions/`, and with `--json` it writes one JSON value to stdout. */
export type RegisterCommand = (program: Command, io: Io) => void;
