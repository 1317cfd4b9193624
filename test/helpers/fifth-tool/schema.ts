import * as z from 'zod';

export const counterSchema = z.strictObject({
  tool: z.literal('counter'),
  rows: z.int().min(1).describe('Rows that are counted up.'),
  clients: z.int().min(1).max(100).default(1),
  durationSeconds: z.int().min(1).optional(),
  durationMinutes: z.int().min(1).optional(),
});

export type CounterWorkload = z.output<typeof counterSchema>;

export function secondsOf({ durationSeconds, durationMinutes = 1 }: CounterWorkload): number {
  return durationSeconds ?? durationMinutes * 60;
}
