import { z } from 'zod';

/** Other programs of one name that worked on the machine of the load while a trial ran. */
export const neighbourSchema = z.object({
  name: z.string(),
  /** How many processors they kept busy, on average. */
  processors: z.number().nonnegative(),
});

export type Neighbour = z.output<typeof neighbourSchema>;
