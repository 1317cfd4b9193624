/**
 * One line of the validity ledger. `fail` takes the verdict away from every comparison that the trial counts for; `warn` is
 * to be known before believing it; `not assessed` says what could not be judged, and why.
 */
export interface Check {
  /** What was looked at, in words that stand for themselves: `clock`, `server version`. */
  name: string;
  state: CheckState;
  /** What was found, with its values; a sentence without its full stop. */
  finding: string;
}

export type CheckState = 'pass' | 'warn' | 'fail' | 'not assessed';

export function failures(checks: readonly Check[] | undefined): Check[] {
  return (checks ?? []).filter(({ state }) => state === 'fail');
}
