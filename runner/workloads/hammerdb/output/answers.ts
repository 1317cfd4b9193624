import { z } from 'zod';

const milliseconds = z.coerce.number().nonnegative();
/** Times of one procedure, as HammerDB answers to `jobs ID timing`: its numbers are texts, in milliseconds. */
const procedureSchema = z.object({
  calls: z.coerce.number().int().nonnegative(),
  avg_ms: milliseconds,
  p50_ms: milliseconds,
  p95_ms: milliseconds,
  p99_ms: milliseconds,
});
const timingSchema = z.record(z.string().regex(/^\w+$/), procedureSchema);

export type Timing = z.output<typeof timingSchema>;

/**
 * The answers that stand in an output between JOBS-BEGIN and JOBS-END, by what was asked. One that is cut off is left out.
 */
export function answersIn(lines: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  let begun: { asked: string; text: string[] } | null = null;
  for (const line of lines) {
    const [, asked] = /^JOBS-BEGIN (\w+)/.exec(line) ?? [];
    const [, ended] = /^JOBS-END (\w+)/.exec(line) ?? [];
    if (asked !== undefined) begun = { asked, text: [] };
    else if (ended === undefined) begun?.text.push(line);
    else {
      if (begun?.asked === ended) found.set(ended, begun.text.join('\n'));
      begun = null;
    }
  }
  return found;
}

/** The times of all procedures; empty if HammerDB has none, or has something else. */
export function readTiming(answer: string | undefined): Timing {
  try {
    return timingSchema.parse(JSON.parse(answer ?? ''));
  } catch {
    return {};
  }
}
