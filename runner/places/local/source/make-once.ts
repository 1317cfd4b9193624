import { chmodSync } from 'node:fs';
import path from 'node:path';
import { codeInWords } from '../../../contract/built.ts';
import { UserError } from '../../../contract/errors.ts';
import { exists, namesIn } from '../../../files/look.ts';
import { readStream } from '../../../files/read.ts';
import { sumOf } from '../../../files/sums.ts';
import { makeUniqueFolder, move, removeFile, writeFileIn } from '../../../files/write.ts';
import { withClient } from '../../../process/client.ts';
import { waitForLock } from '../../../process/lock.ts';
import { removeTrees } from '../../../process/remove-trees.ts';
import { makeFolderForClients, makeFolderOfClients, takeFromClients } from '../../../process/unpack.ts';
import { type BuildLog, newBuildLog } from './build-log.ts';
import type { Finding, SourceCode } from './code.ts';
import { noLock, openCompilerCache, tryLock } from './compiler-cache.ts';
import { type Ask, askBy, buildPath, type Compiler } from './tools.ts';

/** A file in the folder of a build. Whoever finds it finds a whole build: it gets there with the folder. */
export const buildFileName = 'pgduet-build.json';

/** What such a file begins with. */
export function headOf({ kind, schemaVersion }: { kind: string; schemaVersion: number }) {
  return { kind, schemaVersion };
}

/** Whether a folder holds a whole build. */
export const isBuilt = (folder: string): boolean => exists(path.join(folder, buildFileName));

/** Something that is built once, and used by later runs. */
export interface Making {
  /** Folder that it will be in. */
  folder: string;
  /** Such as `PostgreSQL 17.5`. */
  name: string;
  code: SourceCode;
  compiler: Compiler;
}

/** Where it is built. */
export interface Workshop {
  /** Folder of the code. */
  tree: string;
  /** Folder for what is made. */
  stage: string;
  log: BuildLog;
  ask: Ask;
  /**
   * Runs a program in the folder of the code, as the user who builds.
   *
   * @throws {UserError} if it fails, with its last words; the log is kept
   */
  step: (name: string, command: readonly string[]) => Promise<void>;
}

/** What was made. */
export interface Made {
  /** The folder that becomes that of the build. */
  folder: string;
  /** Completes it, when it is ours. @returns what its file says besides its head */
  complete(): object;
}

/**
 * Builds something, unless it is built already. Another run may do this at the same time, which this one then waits for. The
 * folder appears whole; what an interrupted build leaves goes with the next one.
 *
 * @param head of the file that describes it
 * @throws {UserError} if a step fails
 */
export async function makeOnce(
  making: Making,
  head: { kind: string; schemaVersion: number },
  finding: Finding,
  make: (workshop: Workshop) => Promise<Made>,
): Promise<void> {
  const { folder, name, code } = making;
  if (isBuilt(folder)) return;
  const what = `${name} from ${codeInWords(code.origin)}`;
  requirePlainPath(folder);
  makeFolderForClients(path.dirname(folder));
  const lock = await waitForLock(lockOf(folder), `The build of ${what}`, finding);
  try {
    if (isBuilt(folder)) return;
    await removeUnfinished(folder);
    const place = makeUniqueFolder(`${folder}.building-`);
    const log = newBuildLog(what, { file: `${folder}.log`, ...finding });
    try {
      const made = await makeIn(place, making, { log, finding, make });
      // With the folders on the way to it, which nobody can redirect then.
      await takeFromClients(stageOf(place), finding.signal);
      const description = { ...head, ...made.complete() };
      await takeFromClients(made.folder, finding.signal);
      await writeFileIn(made.folder, buildFileName, `${JSON.stringify(description, null, 2)}\n`);
      move(made.folder, folder);
      log.succeeded();
    } finally {
      log.end();
      await removeTrees([place]);
    }
  } finally {
    lock.release();
  }
}

const stageOf = (place: string): string => path.join(place, 'stage');

async function makeIn(
  place: string,
  { code, compiler }: Making,
  { log, finding, make }: { log: BuildLog; finding: Finding; make: (workshop: Workshop) => Promise<Made> },
): Promise<Made> {
  const { environment, signal } = finding;
  const [tree, stage, archive] = [path.join(place, 'code'), stageOf(place), path.join(place, 'code.tar')];
  // Whoever builds must reach their folders.
  chmodSync(place, 0o711);
  for (const one of [tree, stage]) makeFolderOfClients(one);
  await code.archive(archive);
  return withClient({ signal }, async (client) => {
    const ask = askBy(client, finding);
    const cache = await openCompilerCache(ask, place, compiler, finding);
    const run = async (name: string, command: readonly string[], input?: AsyncIterable<Uint8Array>): Promise<void> => {
      log.begin(name);
      const { exitCode } = await client.run(command, {
        ...(input && { input }),
        cwd: tree,
        environment: { PATH: buildPath(environment), ...cache?.environment },
        onStdoutLine: log.take,
        onStderrLine: log.take,
        signal,
      });
      if (exitCode !== 0) throw await log.failure();
    };
    try {
      await run('unpacking', ['tar', '--extract', '--no-same-owner', '--file=-'], readStream(archive));
      removeFile(archive);
      return await make({ tree, stage, log, ask, step: run });
    } finally {
      await cache?.end();
    }
  });
}

/** What stands for something in the name of a build. */
export function buildHash(what: unknown): string {
  return sumOf(JSON.stringify(what)).slice(0, 16);
}

/**
 * The folder of a build. Without a compiler, it is one that is kept, whatever compiled it: null if there is none.
 *
 * @param cache folder of all builds of its kind
 * @param state what the build is made of, besides its compiler
 */
export function folderOf(cache: string, state: unknown, compiler: Compiler | null): string | null {
  const beginning = `${buildHash(state)}-`;
  if (compiler) return path.join(cache, `${beginning}${buildHash(compiler.words)}`);
  const kept = namesIn(cache).find((name) => name.startsWith(beginning) && isBuilt(path.join(cache, name)));
  return kept === undefined ? null : path.join(cache, kept);
}

const lockOf = (folder: string): string => `${folder}.lock`;
const unfinished = /^(.+)\.building-\w+$/;

/** Removes what killed builds left, but not what another run builds now. */
async function removeUnfinished(folder: string): Promise<void> {
  const cache = path.dirname(folder);
  for (const name of namesIn(cache)) {
    const [, of] = unfinished.exec(name) ?? [];
    if (of === undefined) continue;
    const other = path.join(cache, of);
    const lock = other === folder ? noLock : tryLock(lockOf(other));
    if (!lock) continue;
    try {
      await removeTrees([path.join(cache, name)]);
    } finally {
      lock.release();
    }
  }
}

/** @throws {UserError} if make would split the path */
function requirePlainPath(folder: string): void {
  if (!/[\s'"$#:\\]/.test(folder)) return;
  throw new UserError(
    `Builds would be kept in ${path.dirname(folder)}, and make takes no blanks and special characters in a path. Name another folder in XDG_CACHE_HOME.`,
  );
}
