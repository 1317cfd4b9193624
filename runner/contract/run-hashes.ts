import * as z from 'zod';

/** SHA-256, in hexadecimal digits, of what shows that two people speak of the same run; null for what it does not have. */
export const runHashesSchema = z.object({
  /** Of SHA256SUMS itself, which has that of every other file. */
  manifest: z.string().nullable(),
  /** Of result.json. */
  result: z.string().nullable(),
  /** Of the experiment file. */
  experiment: z.string().nullable(),
});

export type RunHashes = z.output<typeof runHashesSchema>;
