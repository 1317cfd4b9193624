import { homedir } from 'node:os';
import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import { isForAnother } from './unpack.ts';

/**
 * Folder for what is made once and used by later runs, below `XDG_CACHE_HOME` or what stands for it. Programs of an
 * experiment do not run as root, and another user may not enter root's home.
 *
 * @param name of the folder
 * @param words what is kept there, for a message
 * @throws {UserError} if the user has no home, as in many containers
 */
export function cacheFolder(
  name: string,
  words: string,
  { XDG_CACHE_HOME }: Readonly<Record<string, string | undefined>>,
): string {
  // The rule of its specification: a relative path is none.
  const named = XDG_CACHE_HOME !== undefined && path.isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : null;
  try {
    return path.join(named ?? (isForAnother() ? '/var/cache' : path.join(homedir(), '.cache')), 'pgduet', name);
  } catch {
    throw new UserError(`There is no home folder to keep ${words} in. Name a folder for it in XDG_CACHE_HOME.`);
  }
}
