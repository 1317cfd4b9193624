import { createHash } from 'node:crypto';
import path from 'node:path';
import { Writable } from 'node:stream';
import { hasCode, UserError } from '../contract/errors.ts';
import { realPath } from '../files/look.ts';
import { makeSafeFolder, writeFileIn } from '../files/write.ts';
import { runGit } from '../process/git.ts';
import { type CommandResult, requireSuccess } from '../process/run-command.ts';

/** A repository of Git, and what ends its commands. */
export interface Repository {
  /** Its top folder. */
  folder: string;
  environment: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
}

/** @throws {UserError} if a folder is in no repository, or Git is not there or does not trust it */
export async function repositoryAround(folder: string, how: Omit<Repository, 'folder'>): Promise<Repository> {
  const found = await git(['rev-parse', '--show-toplevel'], { folder, ...how });
  if (found.exitCode === 0) return { ...how, folder: found.stdout.trimEnd() };
  throw new UserError(
    `${folder} is in no repository of Git that you can read: ${found.stderr.trim()}. Run the gate in a clone with both commits.`,
  );
}

/**
 * The full hash of a commit.
 *
 * @param option of the command line that names it
 * @throws {UserError} if the repository has no such commit
 */
export async function commitOf(ref: string, option: string, repository: Repository): Promise<string> {
  const { exitCode, stdout } = await git(
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`],
    repository,
  );
  if (exitCode === 0) return stdout.trim();
  throw new UserError(
    `--${option} ${ref}: ${repository.folder} has no such commit. Fetch it first (git fetch origin ${ref}); a shallow clone lacks older ones.`,
  );
}

/** Files by their paths in the repository. */
export type Tree = ReadonlyMap<string, Uint8Array>;

/**
 * The files of a commit that have these paths, or lie in folders of these names.
 *
 * @param names relative to the top folder
 * @throws {UserError} if one of them is a link or a module
 */
export async function filesOfCommit(commit: string, names: readonly string[], repository: Repository): Promise<Tree> {
  if (names.length === 0) return new Map();
  const literal = names.map((name) => `:(literal)${name.replace(/\/$/, '')}`);
  const listing = ['ls-tree', '-r', '-z', '--full-tree', commit, '--', ...literal];
  const { stdout } = requireSuccess(['git', ...listing], await git(listing, repository));
  const files = new Map<string, Uint8Array>();
  for (const entry of stdout.split('\0').filter((one) => one !== '')) {
    const [, mode = '', object = '', name = ''] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
    if (!mode.startsWith('100')) {
      throw new UserError(`${name} is a link or a module in commit ${commit}. Put the file itself there.`);
    }
    files.set(name, await contentOf(object, repository));
  }
  return files;
}

async function contentOf(object: string, repository: Repository): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const output = new Writable({
    write(chunk: Uint8Array, _, done) {
      chunks.push(chunk);
      done();
    },
  });
  const asked = ['cat-file', 'blob', object];
  requireSuccess(['git', ...asked], await git(asked, repository, output));
  return Buffer.concat(chunks);
}

/**
 * Writes files to a folder that is named by what they hold, so that the same files have the same paths.
 *
 * @param within folder for all of them
 * @returns that folder
 */
export async function keepTree(files: Tree, within: string): Promise<string> {
  const hash = createHash('sha256');
  for (const [name, content] of [...files].sort(([one], [other]) => (one < other ? -1 : 1))) {
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
  const folder = path.join(within, hash.digest('hex').slice(0, 12));
  makeSafeFolder(folder, 'choose another folder with --out');
  for (const [name, content] of files) await writeFileIn(folder, name, content);
  return realPath(folder);
}

async function git(args: readonly string[], { folder, ...how }: Repository, output?: Writable): Promise<CommandResult> {
  try {
    return await runGit(folder, args, { ...how, ...(output && { output }) });
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    throw new UserError('The gate reads both commits with Git, which is not installed. Install the package git.');
  }
}
