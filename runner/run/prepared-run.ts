import type { Experiment } from '../contract/experiment/schema.ts';
import type { Plan } from '../contract/plan.ts';
import type { Place } from '../places/place.ts';

/** What is to be carried out, here or on a driver. */
export interface PreparedRun {
  experiment: Experiment;
  profile: string;
  plan: Plan;
  inputs: RunInputs;
  /** What the local variants of the run were on that is repeated; absent where none is, or it is not known. */
  repeatedVolumes?: Place['volumesKind'];
  /** Whether nobody gave the seed, and none was found to go on with. @default false */
  hasNewSeed?: boolean;
}

/** What a run is made from, as it was when the run was prepared. */
export interface RunInputs {
  /** Absolute path of the experiment file. */
  file: string;
  /** What was read from it. */
  text: string;
  /** SHA-256 of the workload's files, where a run is repeated; absent otherwise. */
  filesOfRun?: Readonly<Record<string, string>>;
  /** File with the kept prices of the Region; absent on this machine. */
  prices?: string;
}
