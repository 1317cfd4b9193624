import type { Target } from '../postgres/target.ts';
import type { LatencyDigest, Run } from '../contract/tool-output.ts';

/** One tool that fills a database and puts load on it. */
export interface LoadGenerator {
  /** Fills the empty database of a target. Progress from 0 to 1. */
  load(
    target: Target,
    request: { folder: string; signal: AbortSignal; onProgress: (done: number) => void },
  ): Promise<void>;
  /** Load that is not measured, with the trial's own settings, for so many seconds. */
  warmUp(
    target: Target,
    request: { folder: string; seconds: number; signal: AbortSignal; onProgress: OnProgress },
  ): Promise<void>;
  /**
   * One trial; its raw output stays in the folder.
   *
   * @throws where the run was aborted, cut off or did other work than asked for: that is never a result.
   */
  measure(target: Target, request: { folder: string; signal: AbortSignal; onProgress: OnProgress }): Promise<Run>;
  /** What the raw output in the folder tells beyond the run's summary; apart, so that it takes no time of the trial. */
  collect(folder: string): Promise<LatencyDigest | null>;
}

export type OnProgress = (progress: { elapsedSeconds: number; tps: number; latencySeconds: number | null }) => void;
