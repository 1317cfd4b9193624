import { z } from 'zod';
import { headShape } from './versioned-file.ts';

/** What one probe of a live system found. Each problem is a sentence that says what to do. */
export const probeOutcomeSchema = z.object({
  /** What was looked at, such as `results can be written`. */
  name: z.string(),
  /** Empty if all is well. */
  problems: z.array(z.string()),
  /** If all is well: what was found, in a few words. */
  detail: z.string(),
  /** What one should know although nothing stands in the way; a sentence each. */
  notes: z.array(z.string()).default([]),
});

export type ProbeOutcome = z.output<typeof probeOutcomeSchema>;

/** Name of the object that the pre-flight writes, below the prefix of a deploy. */
export const preflightName = 'driver/preflight.json';

export const preflightHead = { kind: 'pgduet-preflight', schemaVersion: 1 } as const;

export const preflightSchema = z.object({
  ...headShape(preflightHead),
  toolVersion: z.string(),
  /** null while it goes on. */
  endedAt: z.string().nullable(),
  outcomes: z.array(probeOutcomeSchema),
});

export type PreflightObject = z.output<typeof preflightSchema>;

export const preflightFile = {
  ...preflightHead,
  what: 'what a pre-flight found',
  schema: preflightSchema,
  remedy: 'Has the stack been deployed by this pgduet?',
  olderRemedy: 'Watch it with the pgduet that deployed it.',
};
