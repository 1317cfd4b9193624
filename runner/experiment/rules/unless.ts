import type { RuleProblem } from '../../contract/rule-problem.ts';

/** A problem at this path if something does not hold. */
export function unless(holds: boolean, path: string[], message: string): RuleProblem[] {
  return holds ? [] : [{ path, message }];
}
