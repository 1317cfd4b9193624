import type { MeasuredPart } from '../../../runner/collect/collector.ts';

/** A measured part that began then, and has just ended. */
export function measuredSince(startedAt: Date, endedAt = new Date()): MeasuredPart {
  return { startedAt, endedAt };
}
