import type { Command } from './command.ts';
import type { RunningProcess } from './machine/processes.ts';

/** A run in a folder of its own, wherever its servers are. */
export interface RunUnderTest {
  folder: string;
  temporary: string;
  results: string;
  /** What runs now. On a driver, another one follows a run that was cut off. */
  readonly command: Command;
  /** Everything that belongs to the run. */
  processes(): RunningProcess[];
  mounts(): string[];
  /** Folder of what it has measured; null if there is none yet. */
  latest(): string | null;
  /** Starts another command in the same folder. */
  another(...args: string[]): Command;
  ageSeconds(): number;
  /** Ends and removes whatever the run has left. If its folder is to be looked at, that stays. */
  close(options: { keep: boolean }): Promise<void>;
}
