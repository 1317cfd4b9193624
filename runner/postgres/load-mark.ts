import { isDeepStrictEqual } from 'node:util';
import pg, { type Client } from 'pg';
import { z } from 'zod';
import { UserError } from '../contract/errors.ts';
import { contentsSchema } from './contents.ts';

/**
 * What a finished load leaves in the database: which tool filled it, and with what. It is the comment of an empty schema.
 * So it goes with the database into copies and snapshots, and no vacuum, reset or load of a tool touches it.
 */
const loadMarkSchema = z.object({
  kind: z.literal('pgduet-load'),
  tool: z.string(),
  /** Everything that the data depends on, as the tool says it (workloads/loaded-with.ts). */
  loadedBy: z.unknown(),
  /** What the tool found in the database right after the load (LoadGenerator.holds); absent if it does not look. */
  holds: z.unknown().optional(),
  /** What the database held right after the load, for other servers to be compared with; absent in older marks. */
  contents: contentsSchema.optional(),
  finishedAt: z.string(),
});

export type LoadMark = z.output<typeof loadMarkSchema>;

/** Not the name of the master user: PostgreSQL would make tables of that user in a schema of its name. */
const schemaName = 'pgduet_load';

/** The mark of the database; null if no load of pgduet has finished in it. */
export async function readLoadMark(client: Client): Promise<LoadMark | null> {
  const { rows } = await client.query<{ mark: string | null }>(
    `SELECT obj_description(oid, 'pg_namespace') AS mark FROM pg_namespace WHERE nspname = '${schemaName}'`,
  );
  const text = rows[0]?.mark ?? null;
  if (text === null) return null;
  try {
    return loadMarkSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Says that the data cannot be trusted from now on: it is about to be loaded. */
export async function removeLoadMark(client: Client): Promise<void> {
  await client.query(`DROP SCHEMA IF EXISTS ${schemaName}`);
}

/** Says that the load has finished, all at once: both statements are one transaction. */
export async function writeLoadMark(client: Client, mark: Omit<LoadMark, 'kind'>): Promise<void> {
  const text = pg.escapeLiteral(JSON.stringify({ kind: 'pgduet-load', ...mark }));
  await client.query(`CREATE SCHEMA ${schemaName}; COMMENT ON SCHEMA ${schemaName} IS ${text}`);
}

/** Whether the data is what this tool loads for this workload. */
export function isLoadedBy(mark: LoadMark | null, tool: string, loadedBy: unknown): boolean {
  return mark !== null && mark.tool === tool && isDeepStrictEqual(mark.loadedBy, asJson(loadedBy));
}

/**
 * @param server name of the server, for the message
 * @throws {UserError} that names both, if the data is not what this tool loads for this workload
 */
export function demandLoadedBy(mark: LoadMark | null, tool: string, loadedBy: unknown, server: string): void {
  if (isLoadedBy(mark, tool, loadedBy)) return;
  const remedy = 'Load it with npx pgduet load, or load and measure with load-run.';
  if (mark === null) {
    throw new UserError(`${server}: no load of pgduet has finished in this database. ${remedy}`);
  }
  throw new UserError(
    `${server} was loaded by ${mark.tool} with ${inWords(mark.loadedBy)}; this experiment needs ${tool} with ${inWords(asJson(loadedBy))}. ${remedy}`,
  );
}

/** Such as `scale 50, load.fillFactor 100`. */
function inWords(loadedBy: unknown, path = ''): string {
  if (typeof loadedBy !== 'object' || loadedBy === null) return `${path} ${String(loadedBy)}`.trim();
  return Object.entries(loadedBy)
    .map(([key, value]) => inWords(value, path === '' ? key : `${path}.${key}`))
    .join(', ');
}

/** The value as it is read back from a mark. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}
