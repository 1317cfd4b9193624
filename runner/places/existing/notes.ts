import path from 'node:path';
import * as z from 'zod';
import { parseVersioned } from '../../contract/versioned-file.ts';
import { exists, foldersIn, namesIn } from '../../files/look.ts';
import { knowFolder } from '../../files/open-folder.ts';
import { readTextWhole } from '../../files/read.ts';
import { makeSafeFolder, removeFile, writeFileIn } from '../../files/write.ts';
import { drawOwnLimit, minOwnLimit } from '../../postgres/own-database.ts';

/** A database that pgduet has made on a server that was there before. */
const ownDatabaseSchema = z.object({
  service: z.string(),
  database: z.string(),
  /** Its comment. */
  mark: z.string(),
  /** Its limit of connections. */
  limit: z.int().min(minOwnLimit),
});

export type OwnDatabase = z.output<typeof ownDatabaseSchema>;

const note = {
  kind: 'pgduet-own-database',
  what: 'a note of pgduet about a database',
  schemaVersion: 1,
  schema: ownDatabaseSchema,
  remedy: 'If the database exists (psql -l) and is not needed, drop it yourself. Then delete this file.',
  olderRemedy: 'Drop the database yourself, and delete this file.',
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

/** The limit of connections that a run with these results noted for one of the databases; otherwise one that no other has. */
export function limitFor(results: string | undefined, databases: readonly Noted[]): number {
  const files = results === undefined ? [] : databases.map((one) => path.join(results, nameOf(one)));
  const noted = files.find(exists);
  return noted === undefined ? drawOwnLimit() : readNote(noted).limit;
}

export function forgetDatabase(results: string, database: Noted): void {
  removeFile(path.join(results, nameOf(database)));
}

/** A note of a database that a run has left. */
export interface DatabaseNote {
  file: string;
  /** Folder of the note. */
  results: string;
  /** @throws {UserError} if it is damaged */
  read: () => OwnDatabase;
}

/** @param out folder with the results of experiments */
export function databaseNotes(out: string): DatabaseNote[] {
  if (!exists(out)) return [];
  return foldersIn(out).flatMap((experiment) => {
    const results = path.join(out, experiment);
    return namesIn(results)
      .filter((name) => /^pgduet_.*@.*\.json$/.test(name))
      .map((name) => path.join(results, name))
      .map((file) => ({ file, results, read: () => readNote(file) }));
  });
}

function readNote(file: string): OwnDatabase {
  return parseVersioned(readTextWhole(file, { links: 'refused' }), file, note);
}
