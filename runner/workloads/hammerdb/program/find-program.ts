import { homedir } from 'node:os';
import path from 'node:path';
import { UserError } from '../../../contract/errors.ts';
import { hashOfLargeFile } from '../../../files/hash.ts';
import { exists, namesIn } from '../../../files/look.ts';
import { downloadRelease, pinnedRelease, type Release } from './release.ts';
import { mainProgram, unpackOnce } from './unpack.ts';

export interface ProgramRequest {
  /** Release that the experiment brings, as an absolute path. */
  archive: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  /** The release that we know may be downloaded until this aborts. Only a driver does this. @default it may not */
  downloadUntil?: AbortSignal | undefined;
  /** Ends it, with its reason. */
  signal: AbortSignal;
  /** Folder with the installs of this machine. @default /opt */
  installs?: string;
  /** @default the release that we know */
  release?: Release;
}

/**
 * Finds HammerDB: what the experiment brings, else what PGDUET_HAMMERDB names, else the newest /opt/HammerDB-*, else, on a
 * driver, the release that we know.
 *
 * @returns its folder
 * @throws {UserError} if there is none
 */
export async function findProgram({
  archive,
  environment,
  downloadUntil,
  signal,
  installs = '/opt',
  release = pinnedRelease,
}: ProgramRequest): Promise<string> {
  const cache = path.join(environment['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache'), 'pgduet', 'hammerdb');
  if (archive !== undefined) {
    return unpackOnce(cache, await hashOfLargeFile(archive, signal), () => Promise.resolve(archive), signal);
  }
  const { PGDUET_HAMMERDB: named } = environment;
  if (named !== undefined && named !== '') {
    if (exists(path.join(named, mainProgram))) return path.resolve(named);
    throw new UserError(`PGDUET_HAMMERDB is ${named}, which holds no ${mainProgram}. Name the folder of HammerDB.`);
  }
  const installed = newestIn(installs);
  if (installed !== null) return installed;
  if (downloadUntil) {
    const download = async (file: string): Promise<string> => {
      await downloadRelease(release, file, downloadUntil);
      return file;
    };
    return unpackOnce(cache, release.sha1, download, signal);
  }
  throw new UserError(
    `HammerDB was not found. Download a release for Linux from https://github.com/TPC-Council/HammerDB/releases, and either unpack it to ${installs}, or name its folder in PGDUET_HAMMERDB, or name the archive in workload.archive.`,
  );
}

function newestIn(installs: string): string | null {
  const names = namesIn(installs).filter((name) => name.startsWith('HammerDB-'));
  const [newest] = names
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .map((name) => path.join(installs, name))
    .filter((folder) => exists(path.join(folder, mainProgram)));
  return newest ?? null;
}
