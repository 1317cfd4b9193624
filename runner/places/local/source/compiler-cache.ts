import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { unlessUserError } from '../../../contract/errors.ts';
import { exists } from '../../../files/look.ts';
import { cacheFolder } from '../../../process/cache-folder.ts';
import { type Lock, takeLock } from '../../../process/lock.ts';
import {
  giveToClients,
  isForAnother,
  makeFolderForClients,
  makeFolderOfClients,
  takeFromClients,
} from '../../../process/unpack.ts';
import type { Finding } from './code.ts';
import { type Ask, buildPath, type Compiler, pathFor } from './tools.ts';

/** Files that were compiled before, by ccache. */
export interface CompilerCache {
  environment: Record<string, string>;
  end(): Promise<void>;
}

/**
 * Makes builds take compiled files of earlier ones, where ccache is here. It stands before the compiler in the PATH, so that
 * no build says that ccache compiled it.
 *
 * @param making folder of the build, which all may enter
 * @returns null if ccache is not here, or another build uses its files
 */
export async function openCompilerCache(
  ask: Ask,
  making: string,
  { command }: Compiler,
  { environment, signal }: Finding,
): Promise<CompilerCache | null> {
  const ccache = await pathFor(ask, 'ccache');
  const [name = ''] = command.split(/\s+/);
  if (ccache === null || name === 'ccache' || name.includes('/')) return null;
  const around = cacheFolder('ccache', 'compiled files', environment);
  makeFolderForClients(around);
  const files = path.join(around, 'files');
  // Between builds, it is ours: nobody else can change what a later build takes from it.
  const lock = isForAnother() ? tryLock(`${files}.lock`) : noLock;
  if (!lock) return null;
  if (exists(files)) await giveToClients(files, signal);
  else makeFolderOfClients(files);
  const before = path.join(making, 'compiler');
  mkdirSync(before, { mode: 0o755 });
  symlinkSync(ccache, path.join(before, name));
  return {
    // Each build has a folder of its own, whose name is no reason to compile once more.
    environment: { PATH: `${before}:${buildPath(environment)}`, CCACHE_DIR: files, CCACHE_NOHASHDIR: '1' },
    async end() {
      try {
        await takeFromClients(files, AbortSignal.timeout(longestTakingMs));
      } finally {
        lock.release();
      }
    },
  };
}

const longestTakingMs = 60_000;

export const noLock: Lock = { release: () => undefined };

/** A lock, or null if another process has it. */
export function tryLock(file: string): Lock | null {
  try {
    return takeLock(file, file);
  } catch (error) {
    return unlessUserError(error);
  }
}
