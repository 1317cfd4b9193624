import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import path from 'node:path';
import { controlOfOthers } from './owners.ts';
import { readTextIfThere } from './read.ts';
import { makeSafeFolder, writeFileIn } from './write.ts';

/** Variables of the user who runs pgduet. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Where this user keeps what pgduet must remember: `XDG_STATE_HOME`, by default `.local/state` in `HOME`.
 *
 * @returns null if nothing says where that is
 */
export function stateFolder({ XDG_STATE_HOME: named = '', HOME: home = '' }: Environment): string | null {
  // The specification of these folders ignores relative paths.
  const state = [named, path.join(home, '.local', 'state')].find((one) => path.isAbsolute(one));
  return state === undefined ? null : path.join(state, 'pgduet');
}

/**
 * A mark that only this user can make on this machine: an HMAC with a key that lies in the user's state folder. Who finds
 * it in a file knows that the text was here before, whatever became of the file meanwhile. The first mark makes the key.
 *
 * @returns null if there is no such folder, or no key can be kept there
 */
export async function ownMark(text: string, environment: Environment): Promise<string | null> {
  const key = keyOf(environment) ?? (await makeKey(environment));
  return key === null ? null : markBy(key, text);
}

/** Whether this user made the mark, on this machine, of this very text. */
export function isOwnMark(mark: string | undefined, text: string, environment: Environment): boolean {
  const key = keyOf(environment);
  if (key === null || mark === undefined) return false;
  const [claimed, own] = [mark, markBy(key, text)].map((one) => Buffer.from(one));
  return claimed !== undefined && own !== undefined && claimed.length === own.length && timingSafeEqual(claimed, own);
}

function markBy(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

/** Root and a caller of sudo may share a folder, but neither reads what the other keeps there. */
const keyFile = (): string => `key-${process.getuid?.() ?? 0}`;

function keyOf(environment: Environment): string | null {
  const folder = stateFolder(environment);
  if (folder === null) return null;
  const file = path.join(folder, keyFile());
  try {
    const key = readTextIfThere(file, { max: 1024, links: 'refused' });
    return key !== null && /^[0-9a-f]{64}\n$/.test(key) && controlOfOthers(file) === null ? key : null;
  } catch {
    return null;
  }
}

async function makeKey(environment: Environment): Promise<string | null> {
  const folder = stateFolder(environment);
  if (folder === null) return null;
  try {
    makeSafeFolder(folder, 'set XDG_STATE_HOME to another folder');
    await writeFileIn(folder, keyFile(), `${randomBytes(32).toString('hex')}\n`, { readers: 'owner' });
  } catch {
    // The run measures without it; only its repeat will ask.
    return null;
  }
  // Another run may have made one at the same moment.
  return keyOf(environment);
}
