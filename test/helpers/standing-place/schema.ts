import * as z from 'zod';
import type { Storage } from '../../../runner/contract/experiment/variant.ts';

export const storageSchema = z.strictObject({
  type: z.literal('standing'),
  host: z.string().min(1),
  port: z.int().min(1).max(65_535),
  user: z.string().min(1),
  database: z.string().min(1),
  passwordFile: z.string().describe('In the form of .pgpass.'),
});

export type StandingStorage = z.output<typeof storageSchema>;

export function isStanding(storage: Storage): storage is StandingStorage {
  return storage.type === storageSchema.shape.type.value;
}
