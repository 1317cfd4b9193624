import type { Ended } from './command.ts';

/** What was done to a run. */
export interface Strike {
  /** In words, for who repeats it. */
  what: string;
  /** Variant whose part was hit; null if it was nobody's or everybody's. */
  variant: string | null;
  /** Whether the part cannot work any more. */
  lasting: boolean;
  /** How the second run ended, if there was one. */
  second?: Ended;
  /** Names of what is by now in the folder that took the place of the run's, if there is one: it was empty. */
  intruded?: () => string[];
}

/** Hits the target once; null if it was not there, or if nothing met what was done. Then it may be tried again. */
export type StrikeOnce = () => Promise<Strike | null>;
