import { wordsOf } from '../../contract/errors.ts';
import { findPostgresBinaries } from '../local/choose-binaries.ts';
import { libpqEnvironment } from './libpq-environment.ts';
import { databaseNotes, forgetDatabase } from './notes.ts';
import { findService, removeDatabase } from './service.ts';

/** What became of the databases that runs left on existing servers. */
export interface CleanedServers {
  /** Such as `database pgduet_quick on service one`. */
  removed: string[];
  left: { what: string; why: string }[];
}

/**
 * Drops the databases that runs have left on servers, by the notes beside their results.
 *
 * @param out folder with the results of experiments
 */
export async function removeOwnDatabases(
  out: string,
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<CleanedServers> {
  const cleaned: CleanedServers = { removed: [], left: [] };
  const noted = databaseNotes(out);
  if (noted.length === 0) return cleaned;
  const { folder: programs } = await findPostgresBinaries({ environment, signal, needed: 'clients' });
  for (const { file, results, read } of noted) {
    let what = `the database of ${file}`;
    try {
      const own = read();
      what = `database ${own.database} on service ${own.service}`;
      const libpq = { programs, environment: libpqEnvironment(environment) };
      const wasThere = await removeDatabase(await findService(own, own.service, libpq, signal), signal);
      forgetDatabase(results, own);
      if (wasThere) cleaned.removed.push(what);
    } catch (error) {
      signal.throwIfAborted();
      cleaned.left.push({ what, why: wordsOf(error) });
    }
  }
  return cleaned;
}
