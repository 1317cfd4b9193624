import type { Sums } from '../files/sums.ts';
import type { StoredRun } from './run-store.ts';
import type { ReadSealed } from './series.ts';
import type { StoredResult } from './stored-run.ts';

/** A run wherever it is kept: its result, or if the run did not end normally, what a result can be made from. */
export interface RemoteRun {
  /** Address of the run's folder, with a slash at its end. */
  location: string;
  content: StoredResult | StoredRun;
  /** The manifest of the run; null if it has none. */
  sums: Sums | null;
  /** Reads a file of the run. */
  read: ReadSealed;
  /** SHA-256 of a file of the run; null if there is no such file. */
  sumOf: (name: string) => Promise<string | null>;
}

/** Reads the run at an address; of several, the newest one. @throws {UserError} if there is none */
export type ReadRemote = (address: string) => Promise<RemoteRun>;
