/** A problem of an experiment, with profile and `common` applied, whose line in the file is not known yet. */
export interface RuleProblem {
  path: readonly PropertyKey[];
  message: string;
  /** False if the value explains nothing, such as a map that lacks a key. */
  showValue?: boolean;
}
