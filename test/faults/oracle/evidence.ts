import type { Ended } from '../command.ts';
import type { Sight } from '../sight.ts';
import type { Strike } from '../strike.ts';
import type { Injection } from '../plan.ts';
import type { RunOnDisk } from './run-on-disk.ts';

/** Everything that the invariants are judged by. */
export interface Evidence {
  injection: Injection;
  /** null if it did not hit. */
  strike: Strike | null;
  /** Why it did not hit; null if it did. */
  missed: string | null;
  /** Where the run was when it was hit. */
  at: Sight;
  /** Whether it still was there right after the hit: otherwise nobody knows which came first. */
  sure: boolean;
  before: RunOnDisk;
  after: RunOnDisk;
  /** null if it did not end within its bound. */
  ended: Ended | null;
  /** Whether somebody pressed Ctrl-C or closed the terminal. */
  interrupted: boolean;
  /** How `pgduet clean` ended; null if it was not needed. */
  cleaned: Ended | null;
  left: Leftovers;
  /** What is in the bucket; null without one. */
  bucket: BucketSeen | null;
  /** From the hit to the end. */
  seconds: number;
}

/** A bucket after a run. */
export interface BucketSeen {
  status: { state: string; saved: { objects: number } | null; deleteAfter: string | null; problems: string[] } | null;
  /** Files of the run that should be in the bucket, as they are on the driver, and are not. */
  missing: string[];
  /** How many files of the run should be there. */
  files: number;
}

/** What is left of a run when it has ended, in words. */
export interface Leftovers {
  processes: string[];
  mounts: string[];
  loopDevices: string[];
  files: string[];
}
