import type { CheckOutcome } from '../probes/probe.ts';

/** Name of the object that the pre-flight leaves, below the prefix of a deploy. */
export const preflightName = 'driver/preflight.json';

export interface PreflightObject {
  kind: 'pgduet-preflight';
  schemaVersion: 1;
  toolVersion: string;
  /** null while it goes on. */
  endedAt: string | null;
  outcomes: CheckOutcome[];
}
