import type { Experiment } from '../contract/experiment/schema.ts';
import type { Plan } from '../experiment/plan/plan.ts';
import type { DriverSnapshot } from '../collect/driver/processors.ts';
import type { Place } from '../places/place.ts';
import type { ResultStore } from '../storage/result-store.ts';
import type { LoadGenerator } from '../workloads/tool.ts';
import type { Report } from './events.ts';

/** Everything that carrying out a plan needs. */
export interface Execution {
  plan: Plan;
  experiment: Experiment;
  place: Place;
  generator: LoadGenerator;
  store: ResultStore;
  report: Report;
  signal: AbortSignal;
  now: () => Date;
  /** The state of the machine that the load generator runs on. */
  readDriver: () => DriverSnapshot;
  /** Resolves after so many seconds, or rejects when the signal aborts. */
  pause: (seconds: number, signal: AbortSignal) => Promise<void>;
}
