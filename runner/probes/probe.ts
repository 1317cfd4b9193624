import { UserError } from '../contract/errors.ts';

/** Outcome of one check. Each problem is a sentence that says what to do. */
export interface CheckOutcome {
  /** What was checked, such as `results can be written`. */
  name: string;
  /** Empty if the check passed. */
  problems: string[];
  /** What was found if the check passed, in a few words; otherwise empty. */
  detail: string;
  /** What the reader should know although it blocks nothing, such as what could not be checked; a sentence each. */
  notes: string[];
}

/** What a check found if it passed. */
export interface Found<T> {
  detail: string;
  value: T;
  notes?: string[];
}

export interface Checker {
  outcomes: CheckOutcome[];
  /**
   * Carries out one check. Each line of a UserError is a problem. Any other error is a bug in pgduet, and is thrown.
   *
   * @returns the value of the check; null if it did not pass
   */
  check: <T>(name: string, carryOut: () => Promise<Found<T>>) => Promise<T | null>;
}

/** @param report receives each outcome when it is known */
export function checker(report: (outcome: CheckOutcome) => void): Checker {
  const outcomes: CheckOutcome[] = [];
  function add(outcome: CheckOutcome): void {
    outcomes.push(outcome);
    report(outcome);
  }
  return {
    outcomes,
    async check(name, carryOut) {
      try {
        const { detail, value, notes = [] } = await carryOut();
        add({ name, problems: [], detail, notes });
        return value;
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        const problems = error.message.split('\n').filter((line) => line.trim() !== '');
        add({ name, problems, detail: '', notes: [] });
        return null;
      }
    },
  };
}
