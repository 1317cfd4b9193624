import type { Command } from 'commander';
import type { Io } from './io.ts';

/**
 * A verb of the command line. Its file has its options and does what it does. The file is read when the verb is named, so
 * that no command loads what only others need.
 */
export interface Verb {
  /** With its arguments, as the list of all verbs shows it. */
  usage: string;
  description: string;
  load: () => Promise<{ declare: Declare }>;
}

/** Adds the options, and what the verb does. With `--json`, it writes one JSON value to stdout. */
export type Declare = (command: Command, io: Io, all: AllVerbs) => void;

/** The whole command line, for verbs that speak of others. */
export interface AllVerbs {
  program: Command;
  /** Reads the options of a verb; undefined if there is no such verb. */
  load: (name: string | undefined) => Promise<Command | undefined>;
}

export function verb(usage: string, description: string, load: Verb['load']): Verb {
  return { usage, description, load };
}
