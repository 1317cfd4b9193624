import type { MeasureStep, PlannedTrial, Step } from '../experiment/plan/plan.ts';
import type { Trial, UnfinishedTrial } from '../contract/result.ts';

export type Stage = UnfinishedTrial['stage'];

/** What happens while a plan is carried out; whoever shows progress listens. */
export type ExecutionEvent =
  | { kind: 'step-started'; step: Exclude<Step, MeasureStep> }
  | { kind: 'loading'; variant: string; done: number }
  | { kind: 'loaded'; variant: string; seconds: number }
  | { kind: 'stage-started'; trial: PlannedTrial; stage: Stage }
  | { kind: 'progress'; trial: PlannedTrial; stage: Stage; elapsedSeconds: number; tps: number }
  | { kind: 'trial-ended'; trial: Trial }
  | { kind: 'block-repeated'; block: number; because: Trial[] }
  | { kind: 'trial-skipped'; trial: PlannedTrial }
  | { kind: 'warning'; text: string };

export type Report = (event: ExecutionEvent) => void;
