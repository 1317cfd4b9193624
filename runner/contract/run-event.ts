import type { MeasureStep, PlannedTrial, Step } from './plan.ts';
import type { Conditions, Trial, TrialStage } from './trial.ts';

/** What happens while a plan is carried out. Code that shows progress listens to it. */
export type RunEvent =
  | { kind: 'step-started'; step: Exclude<Step, MeasureStep> }
  /** Share of a step that is done on one server, from 0 to 1. */
  | { kind: 'loading'; step: 'load' | 'touch' | 'snapshot'; conditions: Conditions; done: number }
  | { kind: 'loaded'; conditions: Conditions; seconds: number }
  /** An earlier start of the run had loaded this server. */
  | { kind: 'load-skipped'; conditions: Conditions }
  /** Everything on a server that was restored from a snapshot has been read once. */
  | { kind: 'touched'; conditions: Conditions; bytes: number; seconds: number }
  /** What the user wrote is carried out once on a server, before the first trial. */
  | { kind: 'trying-out'; conditions: Conditions }
  | { kind: 'stage-started'; trial: PlannedTrial; stage: TrialStage }
  /** `tps` is null if it is hidden. */
  | { kind: 'progress'; trial: PlannedTrial; stage: TrialStage; elapsedSeconds: number; tps: number | null }
  | { kind: 'trial-ended'; trial: Trial }
  /** `because` has the trials of the attempt before that do not count; it is empty if that was cut off between two trials. */
  | { kind: 'block-repeated'; block: number; because: Trial[] }
  | { kind: 'trial-skipped'; trial: PlannedTrial }
  /** What a place does or waits for, such as a volume that RDS optimises, and since when. */
  | { kind: 'waiting'; text: string }
  | { kind: 'warning'; text: string };

export type Report = (event: RunEvent) => void;
