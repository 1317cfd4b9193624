/** A problem of an experiment, with profile and `common` applied, whose line in the file is not known yet. */
export interface RuleProblem {
  path: readonly PropertyKey[];
  message: string;
  /** False if the value explains nothing, such as a map that lacks a key. */
  showValue?: boolean;
}

/** A problem at this path if something does not hold. */
export function unless(holds: boolean, path: string[], message: string): RuleProblem[] {
  return holds ? [] : [{ path, message }];
}
