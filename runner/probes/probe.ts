import type { CheckState } from '../contract/check.ts';
import { UserError } from '../contract/errors.ts';
import { type ProbeId, probes } from '../contract/probes.ts';

/** Outcome of one check. Each problem is a sentence that says what to do. */
export interface CheckOutcome {
  /** What was checked, for scripts. */
  id: ProbeId;
  /** The same in words, with its subject, such as `parameters of large`. */
  name: string;
  /** `warn`: there are notes. `not-assessed`: the user may not look. */
  state: CheckState;
  /** Empty if the check passed. */
  problems: string[];
  /** What was found if the check passed, in a few words; otherwise empty. */
  detail: string;
  /** What the reader should know although it blocks nothing, such as what could not be checked; a sentence each. */
  notes: string[];
  /** What to do in general, if the state is not `pass`; otherwise null. */
  remedy: string | null;
}

/** What a check found if it passed. */
export interface Found<T> {
  detail: string;
  value: T;
  notes?: string[];
  /** If it could not be looked at. @default by the notes */
  state?: 'not-assessed';
}

export interface Checker {
  outcomes: CheckOutcome[];
  /**
   * Carries out one check. Each line of a UserError is a problem. Any other error is a bug in pgduet, and is thrown.
   *
   * @param probe of several of a kind, with the one that it is about
   * @returns the value of the check; null if it did not pass
   */
  check: <T>(probe: ProbeId | { id: ProbeId; of: string }, carryOut: () => Promise<Found<T>>) => Promise<T | null>;
}

/** @param report receives each outcome when it is known */
export function checker(report: (outcome: CheckOutcome) => void): Checker {
  const outcomes: CheckOutcome[] = [];
  return {
    outcomes,
    async check(probe, carryOut) {
      const { id, of = '' } = typeof probe === 'string' ? { id: probe } : probe;
      const name = `${probes[id].name} ${of}`.trim();
      function add(found: Pick<CheckOutcome, 'state' | 'problems' | 'detail' | 'notes'>): void {
        const outcome = { id, name, ...found, remedy: found.state === 'pass' ? null : probes[id].remedy };
        outcomes.push(outcome);
        report(outcome);
      }
      try {
        const { detail, value, notes = [], state = notes.length > 0 ? 'warn' : 'pass' } = await carryOut();
        add({ state, problems: [], detail, notes });
        return value;
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        add({ state: 'fail', problems: [...error.lines], detail: '', notes: [] });
        return null;
      }
    },
  };
}
