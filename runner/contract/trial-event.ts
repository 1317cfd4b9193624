import { z } from 'zod';

/** Something that happened to the server, as told by who runs it, such as an event of RDS. */
export const trialEventSchema = z.object({
  /** ISO 8601, UTC. */
  at: z.string(),
  kind: z.enum(['backup', 'failover', 'maintenance', 'restart', 'storage', 'credits', 'other']),
  /** In the words of the source. */
  text: z.string(),
});

export type TrialEvent = z.output<typeof trialEventSchema>;
