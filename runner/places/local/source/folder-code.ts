import { createHash } from 'node:crypto';
import { lstatSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../../contract/errors.ts';
import { type InParts, partByPart } from '../../../files/in-parts.ts';
import { entriesBelow, exists, whyNoFolder } from '../../../files/look.ts';
import { controlOfOthers, mayBeChangedByOthers, trustedUsers } from '../../../files/owners.ts';
import { readTextWhole } from '../../../files/read.ts';
import { hashOfFile } from '../../../files/sums.ts';
import { runChecked } from '../../../process/run-command.ts';
import type { Finding, SourceCode } from './code.ts';

/** Folders that are no part of the code, wherever they are. */
const histories = ['.git', '.hg', '.svn'];

/**
 * Source code in a folder, as it is now.
 *
 * @throws {UserError} if there is no such folder, or if other users decide what is in it
 */
export async function folderCode(named: string, { key, folder, signal }: Finding): Promise<SourceCode> {
  const place = path.resolve(folder, named);
  const why = whyNoFolder(place);
  if (why !== null) throw new UserError(`${key}.path is ${named}, which is ${place}: ${why}. Name a folder.`);
  const others = controlOfOthers(place);
  if (others !== null) {
    throw new UserError(`${key}.path is ${named}: ${place} ${others}. If you trust the code, make a copy of your own.`);
  }
  const content = await contentOf(place, signal);
  return {
    origin: { from: named, content },
    identity: content,
    textOf: (file) => {
      const whole = path.join(place, file);
      return Promise.resolve(exists(whole) ? readTextWhole(whole) : null);
    },
    async archive(file) {
      const without = histories.map((name) => `--exclude=${name}`);
      await runChecked(['tar', '--create', `--file=${file}`, ...without, `--directory=${place}`, '.'], { signal });
      if ((await contentOf(place, signal)) !== content) {
        throw new UserError(`${place} was changed while pgduet copied it. Leave it alone, and start again.`);
      }
    },
  };
}

/**
 * SHA-256 of the names and contents of all files in a folder, with what links lead to and what can be executed.
 *
 * @param signal ends it, with its reason
 */
export async function contentOf(folder: string, signal: AbortSignal): Promise<string> {
  const entries = await entriesBelow(folder);
  const names = entries
    .map(({ name }) => name)
    .filter((name) => !name.split(path.sep).some((part) => histories.includes(part)))
    .sort();
  return partByPart(hashingAll(folder, names), signal);
}

function* hashingAll(folder: string, names: readonly string[]): InParts<string> {
  const all = createHash('sha256');
  const trusted = trustedUsers();
  for (const name of names) {
    const file = path.join(folder, name);
    const found = lstatSync(file);
    const isOthers = !trusted.has(found.uid) || (!found.isSymbolicLink() && mayBeChangedByOthers(found));
    if (isOthers) {
      throw new UserError(
        `${file} belongs to another user, or can be written by one, and a build runs it. If you trust the code, make a copy of your own.`,
      );
    }
    const what = found.isFile()
      ? [hashOfFile(file), (found.mode & 0o100) !== 0]
      : [found.isSymbolicLink() ? readlinkSync(file) : null];
    all.update(`${JSON.stringify([name, ...what])}\n`);
    yield;
  }
  return all.digest('hex');
}
