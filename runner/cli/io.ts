import type { Command } from 'commander';
import type { Writable } from 'node:stream';

/** All that a command may touch of the process, so that tests can run commands inside theirs. */
export interface Io {
  /** The result, and nothing else. */
  stdout: Writable;
  /** Progress, warnings and errors. */
  stderr: Writable;
  environment: Readonly<Record<string, string | undefined>>;
  workingFolder: string;
  /** Aborts on Ctrl-C and SIGTERM. */
  signal: AbortSignal;
  /** A line at the end of stderr that is drawn over; null where stderr is no terminal. */
  statusLine: StatusLine | null;
  /** Width of the terminal in columns; no line that we make is longer. */
  columns: number;
  colour: boolean;
  /** Called with the exit code of a command that ends with other than 0. */
  setExitCode(code: ExitCode): void;
}

export interface StatusLine {
  show(text: string): void;
  clear(): void;
}

export type ExitCode = 0 | 1 | 2 | 130;

/** Adds one command to the program; each has a file of its own, and `--json` makes stdout one JSON value. */
export type RegisterCommand = (program: Command, io: Io) => void;
