import { UserError } from '../contract/errors.ts';

/** What one check found; each problem is a sentence that says what to do. */
export interface CheckOutcome {
  /** What was checked, such as `results can be written`. */
  name: string;
  /** Empty where the check passed. */
  problems: string[];
  /** What was found where it passed, in a few words. */
  detail: string;
}

export interface Checker {
  outcomes: CheckOutcome[];
  /**
   * Carries out one check; a UserError is a problem, one a line, any other error is a bug of ours and is thrown.
   *
   * @returns what the check gave, null where it did not pass
   */
  check: <T>(name: string, carryOut: () => Promise<{ detail: string; value: T }>) => Promise<T | null>;
}

/** @param report gets each outcome as it comes */
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
        const { detail, value } = await carryOut();
        add({ name, problems: [], detail });
        return value;
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        add({ name, problems: error.message.split('\n').filter((line) => line.trim() !== ''), detail: '' });
        return null;
      }
    },
  };
}
