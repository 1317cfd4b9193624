import * as z from 'zod';
import type { RunScript } from '../../../contract/tool-output.ts';

const milliseconds = z.coerce.number().nonnegative();
/** Times of one procedure, in milliseconds. The numbers are texts in HammerDB's answer to `jobs ID timing`. */
export const procedureSchema = z.object({
  calls: z.coerce.number().int().nonnegative(),
  avg_ms: milliseconds,
  p50_ms: milliseconds,
  p95_ms: milliseconds,
  p99_ms: milliseconds,
});
const timingSchema = z.record(z.string().regex(/^\w+$/), procedureSchema);

export type Timing = z.output<typeof timingSchema>;

/** The times of all procedures; empty if HammerDB has none, or has something else. */
export function readTiming(answer: string | undefined): Timing {
  try {
    return timingSchema.parse(JSON.parse(answer ?? ''));
  } catch {
    return {};
  }
}

export function scriptsOf(timing: Timing): RunScript[] {
  return Object.entries(timing).map(([name, { calls, avg_ms, p50_ms, p95_ms, p99_ms }]) => ({
    name: name.toLowerCase(),
    weight: null,
    transactions: calls,
    tps: null,
    latencyAverageSeconds: inSeconds(avg_ms),
    latencySeconds: { p50: inSeconds(p50_ms), p95: inSeconds(p95_ms), p99: inSeconds(p99_ms) },
  }));
}

/** HammerDB has whole microseconds. */
function inSeconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1e6;
}
