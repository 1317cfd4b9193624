import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pRetry, { AbortError } from 'p-retry';
import { wordsOf, UserError } from '../../../contract/errors.ts';
import { hashOfLargeFile } from '../../../files/sums.ts';
import { exists, namesIn } from '../../../files/look.ts';
import { writeStream } from '../../../files/read.ts';
import { makeUniqueFolder, move, removeTree } from '../../../files/write.ts';
import { cacheFolder } from '../../../process/cache-folder.ts';
import { makeFolderForClients, unpackForClients } from '../../../process/unpack.ts';
import { libraryScript, startSession } from '../session.ts';
import { says } from '../output/lines.ts';

export interface ProgramRequest {
  /** The experiment's own release, as an absolute path. */
  archive: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  /** The pinned release may be downloaded until this aborts. Only a driver does this. @default no download */
  downloadUntil?: AbortSignal | undefined;
  /** Ends it, with its reason. */
  signal: AbortSignal;
  /** Folder with the installs of this machine. @default /opt */
  installs?: string;
  /** @default the pinned release */
  release?: Release;
}

/**
 * Finds HammerDB: the experiment's archive, else the folder in PGDUET_HAMMERDB, else the newest /opt/HammerDB-*, else,
 * on a driver, the pinned release.
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
  const cache = (): string => cacheFolder('hammerdb', 'HammerDB', environment);
  if (archive !== undefined) {
    return unpackOnce(cache(), await hashOfLargeFile(archive, signal), () => Promise.resolve(archive), signal);
  }
  const { PGDUET_HAMMERDB: named } = environment;
  if (named !== undefined && named !== '') {
    if (exists(path.join(named, mainProgram))) return path.resolve(named);
    throw new UserError(
      `PGDUET_HAMMERDB is ${named}, which does not contain ${mainProgram}. Set it to the HammerDB folder.`,
    );
  }
  const installed = newestIn(installs);
  if (installed !== null) return installed;
  if (downloadUntil) {
    const download = async (file: string): Promise<string> => {
      await downloadRelease(release, file, downloadUntil);
      return file;
    };
    return unpackOnce(cache(), release.sha1, download, signal);
  }
  throw new UserError(
    `HammerDB was not found. Download a release for Linux from https://github.com/TPC-Council/HammerDB/releases. Then unpack it to ${installs}, name its folder in PGDUET_HAMMERDB, or name the archive in workload.archive.`,
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

export interface Release {
  url: string;
  /** As the project publishes it. */
  sha1: string;
}

/** The release for Amazon Linux 2023 that a driver takes if the experiment brings none. */
const pinnedRelease: Release = {
  url: 'https://github.com/TPC-Council/HammerDB/releases/download/v6.1.1/HammerDB-6.1.1-Prod-Lin-RHEL9-x64.tar.gz',
  sha1: '65cf7c3f46910e751e95bd221254642b19566ac5',
};

const remedy =
  'Download a release for Linux from https://github.com/TPC-Council/HammerDB/releases yourself, and name it in workload.archive.';
const maxMinutes = 10;
/** After pauses of 1, 2, 4, 8 and 16 seconds: a network is not always there when a machine has just booted. */
const retries = 5;

/**
 * Downloads a release into a file. It tries again where that may help.
 *
 * @param signal ends it with its reason
 * @throws {UserError} if the download fails, or the file is not what was published
 */
async function downloadRelease({ url, sha1 }: Release, file: string, signal: AbortSignal): Promise<void> {
  try {
    const until = AbortSignal.any([signal, AbortSignal.timeout(maxMinutes * 60_000)]);
    await pRetry(() => fetchInto(file, url, until), { retries, signal: until });
  } catch (error) {
    signal.throwIfAborted();
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    throw new UserError(`Could not download HammerDB from ${url} (${why}). ${remedy}`, { cause: error });
  }
  const found = await hashOfLargeFile(file, signal, 'sha1');
  if (found !== sha1) {
    throw new UserError(
      `The file from ${url} is not the published release: its SHA-1 is ${found}, expected ${sha1}. It was not used. ${remedy}`,
    );
  }
}

async function fetchInto(file: string, url: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(url, { signal });
  const { status, body } = response;
  if (!response.ok || !body) {
    const isPassing = status >= 500 || status === 408 || status === 429;
    throw isPassing ? new Error(`HTTP ${status}`) : new AbortError(`HTTP ${status}`);
  }
  // Of a download that broke off.
  removeTree(file);
  await pipeline(Readable.fromWeb(body), writeStream(file, { mode: 0o600 }));
}

/** A folder that holds this program is one of HammerDB. */
const mainProgram = 'hammerdbcli';

/**
 * Unpacks an archive, unless that was done before. Another run may do this at the same time, so the folder appears
 * whole.
 *
 * @param cache folder for what is unpacked; only we can write to it
 * @param key different for each archive
 * @param provide puts the archive into the given file, or returns the file that already holds it
 * @param signal ends it, with its reason
 * @returns the folder of HammerDB
 * @throws {UserError} if it is not an archive, or does not contain HammerDB
 */
async function unpackOnce(
  cache: string,
  key: string,
  provide: (file: string) => Promise<string>,
  signal: AbortSignal,
): Promise<string> {
  makeFolderForClients(cache);
  const kept = path.join(cache, key);
  if (!exists(kept)) {
    const making = makeUniqueFolder(path.join(cache, 'unpacking-'));
    try {
      const archive = await provide(path.join(making, 'archive.tar.gz'));
      const inside = path.join(making, 'inside');
      await unpack(archive, inside, signal);
      installIn(inside, archive);
      if (!exists(kept)) move(inside, kept);
    } finally {
      removeTree(making);
    }
  }
  return installIn(kept, kept);
}

async function unpack(archive: string, folder: string, signal: AbortSignal): Promise<void> {
  try {
    await unpackForClients(archive, folder, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new UserError(
      `${archive} cannot be unpacked (${wordsOf(error)}). Expected a release of HammerDB for Linux, as .tar.gz.`,
      { cause: error },
    );
  }
}

/** The folder with the program: releases have one folder, named after the version. */
function installIn(folder: string, archive: string): string {
  const candidates = [folder, ...namesIn(folder).map((name) => path.join(folder, name))];
  const found = candidates.find((one) => exists(path.join(one, mainProgram)));
  if (found !== undefined) return found;
  throw new UserError(`${archive} does not contain ${mainProgram}. Expected a HammerDB release for Linux.`);
}

/**
 * HammerDB's version in its own words, such as `HammerDB v6.0`.
 *
 * @param install folder of HammerDB
 * @throws {UserError} if it does not start, or cannot load its library for PostgreSQL
 */
export async function versionOf(install: string, signal: AbortSignal): Promise<string> {
  const { ended } = startSession({ install, script: libraryScript, limitSeconds: 120, signal });
  const { lines } = await ended.catch((error: unknown) => {
    signal.throwIfAborted();
    const why = wordsOf(error);
    throw new UserError(`HammerDB in ${install} does not work: ${why}`, { cause: error });
  });
  const version = lines.map((line) => says.version.exec(line)?.[1]).find((found) => found !== undefined);
  const library = lines[lines.findIndex((line) => /^Checking database library for PostgreSQL$/.test(line)) + 1] ?? '';
  if (version === undefined) throw new UserError(`HammerDB in ${install} does not report its version.`);
  if (!library.startsWith('Success')) {
    throw new UserError(
      `HammerDB in ${install} cannot reach PostgreSQL: ${library || 'its library was not checked'}. Install the client library of PostgreSQL (libpq5, or libpq on Amazon Linux).`,
    );
  }
  return `HammerDB ${version}`;
}
