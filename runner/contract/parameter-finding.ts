import { z } from 'zod';

/** A parameter that was asked for, and what the server said about it before anything was measured. */
export const parameterFindingSchema = z.object({
  name: z.string(),
  /** As it was asked for: a number without a unit is in the parameter's own. */
  asked: z.string(),
  /** As pg_settings has it, with its unit, such as `8192 (8kB)`; null if the server does not show it. */
  found: z.string().nullable(),
  /** null if it cannot be proved: the server does not show it, or it is a formula that RDS works out. */
  inForce: z.boolean().nullable(),
  /** Whether the server has another value for it that waits for a restart. */
  pendingRestart: z.boolean(),
});

export type ParameterFinding = z.output<typeof parameterFindingSchema>;
