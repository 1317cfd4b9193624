import * as z from 'zod';

/** What pgduet built something from. */
const codeSchema = z.object({
  /** Repository or folder, as the experiment names it. */
  from: z.string(),
  /** All digits of the commit; absent if it was a folder. */
  commit: z
    .string()
    .regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/)
    .optional(),
  /** What `git describe` says of the commit, such as `REL_17_5-3-g1a2b3c4d5e6f`; absent if no history was fetched. */
  describe: z.string().optional(),
  /** SHA-256 of everything in the folder; absent if it was a commit. */
  content: z.string().optional(),
  /** As the compiler says, such as `gcc (Debian 12.2.0-14) 12.2.0`. */
  compiler: z.string(),
});

/** What pgduet has built of a server. */
export const builtSchema = z.object({
  /** PostgreSQL itself; absent if it was installed. */
  server: codeSchema
    .extend({
      /** Options of configure. */
      configure: z.array(z.string()),
    })
    .optional(),
  /** Absent if the variant names none. */
  extension: codeSchema
    .extend({
      /** Names for CREATE EXTENSION; none for a library without SQL. */
      names: z.array(z.string()),
    })
    .optional(),
});

export type Built = z.output<typeof builtSchema>;

/** State of code, by what it is known by. */
export type CodeOrigin = Omit<z.output<typeof codeSchema>, 'compiler'>;

/** How many digits of a hash people need. */
const shownDigits = 12;

/** The code by its state, such as `REL_17_5-3-g1a2b3c4d5e6f of ../postgres`. */
export function codeInWords({ from, commit, describe, content }: CodeOrigin): string {
  if (commit === undefined) return `${from} (content ${(content ?? '').slice(0, shownDigits)})`;
  const short = commit.slice(0, shownDigits);
  const isNamed = describe !== undefined && !commit.startsWith(describe);
  return `${isNamed ? `${describe} (${short})` : short} of ${from}`;
}

/** Such as `hello from v1.2 (1a2b3c4d5e6f) of ..`. */
export function extensionInWords({ names, ...code }: NonNullable<Built['extension']>): string {
  const from = codeInWords(code);
  return names.length === 0 ? from : `${names.join(', ')} from ${from}`;
}
