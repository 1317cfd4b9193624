import path from 'node:path';
import * as z from 'zod';
import { parseVersioned } from '../../contract/versioned-file.ts';
import { exists, foldersIn, namesIn } from '../../files/look.ts';
import { knowFolder } from '../../files/open-folder.ts';
import { readTextWhole } from '../../files/read.ts';
import { makeSafeFolder, removeFile, writeFileIn } from '../../files/write.ts';
import { drawOwnLimit } from '../../postgres/own-database.ts';

/** A database that pgduet has made on a server that was there before. */
const ownDatabaseSchema = z.object({
  service: z.string(),
  database: z.string(),
  /** Its comment. */
  mark: z.string(),
  /** Its limit of connections. */
  limit: z.number(),
});

export type OwnDatabase = z.output<typeof ownDatabaseSchema>;

const note = {
  kind: 'pgduet-own-database',
  what: 'a note of pgduet about a database',
  schemaVersion: 1,
  schema: ownDatabaseSchema,
  remedy: 'Look for the database by its name (psql -l), and drop it yourself.',
  olderRemedy: 'Drop the database yourself.',
};

type Noted = Pick<OwnDatabase, 'service' | 'database'>;

/** A database has no `@` in its name. */
const nameOf = ({ service, database }: Noted): string => `${database}@${service}.json`;

/** Notes in the folder of an experiment's runs that a database is about to be made, so that `clean` finds it whatever happens. */
export async function noteDatabase(results: string, database: OwnDatabase): Promise<void> {
  makeSafeFolder(results, 'choose another folder (--out)');
  const text = JSON.stringify({ kind: note.kind, schemaVersion: note.schemaVersion, ...database });
  await writeFileIn(knowFolder(results), nameOf(database), text);
}

/** The limit of connections that a run with these results noted for the database; otherwise one that no other has. */
export function limitFor(results: string | undefined, database: Noted): number {
  const file = results === undefined ? null : path.join(results, nameOf(database));
  return file !== null && exists(file) ? readNote(file).limit : drawOwnLimit();
}

export function forgetDatabase(results: string, database: Noted): void {
  removeFile(path.join(results, nameOf(database)));
}

/** @param out folder with the results of experiments @returns the databases that runs have left, with the folder of each note */
export function notedDatabases(out: string): (OwnDatabase & { results: string })[] {
  if (!exists(out)) return [];
  return foldersIn(out).flatMap((experiment) => {
    const results = path.join(out, experiment);
    return namesIn(results)
      .filter((name) => /^pgduet_.*@.*\.json$/.test(name))
      .map((name) => path.join(results, name))
      .map((file) => ({ results, ...readNote(file) }));
  });
}

function readNote(file: string): OwnDatabase {
  return parseVersioned(readTextWhole(file, { links: 'refused' }), file, note);
}
