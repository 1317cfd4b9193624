import path from 'node:path';
import { UserError, withoutStop } from '../../../contract/errors.ts';
import { defaultCommit, type NamedCode } from '../../../contract/experiment/source.ts';
import { sumOf } from '../../../files/sums.ts';
import { makeFolder } from '../../../files/write.ts';
import { cacheFolder } from '../../../process/cache-folder.ts';
import { waitForLock } from '../../../process/lock.ts';
import { pathOfProgram } from '../../../process/program-path.ts';
import { runGit } from '../../../process/git.ts';
import { type CommandResult, requireSuccess } from '../../../process/run-command.ts';
import type { Finding, SourceCode } from './code.ts';

/** `https://…`, `ssh://…`, `git@host:…`: a folder with a colon in its first part is written with `./`. */
const address = /^[^/]+:/;
const wholeCommit = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * A commit of a repository here or elsewhere. Of one that is elsewhere, only this commit is fetched, and kept.
 *
 * @throws {UserError} if there is no git, no such repository, or no such commit
 */
export async function gitCode(
  { git: named, commit: ref = defaultCommit }: Pick<NamedCode, 'commit'> & { git: string },
  finding: Finding,
): Promise<SourceCode> {
  const { key } = finding;
  if (pathOfProgram('git') === null) throw new UserError(`${key}.git is ${named}, but git is not here. Install git.`);
  const { repository, rev } = address.test(named)
    ? await fetchCommit(named, ref, finding)
    : { repository: path.resolve(finding.folder, named), rev: ref };
  const ask = asker(repository, finding);
  // The repository may have its source code in a folder below.
  const below = await ask('rev-parse', '--show-prefix');
  if (below.exitCode !== 0) {
    const remedy = /dubious ownership/.test(below.stderr)
      ? `It belongs to another user. If you trust it: git config --global --add safe.directory ${repository}`
      : 'Name the folder or the address of a git repository.';
    throw new UserError(`${key}.git is ${named}: ${saidBy(below)}. ${remedy}`);
  }
  const resolved = await ask('rev-parse', '--verify', '--quiet', `${rev}^{commit}`);
  if (resolved.exitCode !== 0) {
    throw new UserError(
      `${key}.commit is ${ref}: ${repository} has no such commit. Name another branch, tag or commit, or fetch this one first.`,
    );
  }
  const [commit, prefix] = [resolved.stdout.trim(), below.stdout.trim()];
  const described = await ask('describe', '--tags', '--always', '--abbrev=12', commit);
  return {
    origin: { from: named, commit, ...(described.exitCode === 0 && { describe: described.stdout.trim() }) },
    identity: `${commit}:${prefix}`,
    async textOf(file) {
      const { exitCode, stdout } = await ask('show', `${commit}:${prefix}${file}`);
      return exitCode === 0 ? stdout : null;
    },
    async archive(file) {
      const command = ['archive', '--format=tar', `--output=${file}`, commit];
      requireSuccess(['git', ...command], await ask(...command));
    },
  };
}

function asker(repository: string, { environment, signal }: Pick<Finding, 'environment' | 'signal'>) {
  return (...command: readonly string[]): Promise<CommandResult> =>
    runGit(repository, command, { environment, signal });
}

/**
 * Fetches one commit into a repository of ours.
 *
 * @throws {UserError} with git's words if that is not possible
 */
async function fetchCommit(named: string, ref: string, finding: Finding): Promise<{ repository: string; rev: string }> {
  const { key, environment, say, signal } = finding;
  const kept = cacheFolder('repositories', 'repositories', environment);
  makeFolder(kept, 0o700);
  const repository = path.join(kept, `${sumOf(named).slice(0, 16)}.git`);
  const lock = await waitForLock(`${repository}.lock`, `The copy of ${named}`, { say, signal });
  try {
    const init = ['init', '--bare', '--quiet', repository];
    requireSuccess(['git', ...init], await asker(kept, finding)(...init));
    const ask = asker(repository, finding);
    if (wholeCommit.test(ref) && (await ask('cat-file', '-e', `${ref}^{commit}`)).exitCode === 0) {
      return { repository, rev: ref };
    }
    say(`Fetching ${ref} of ${named} ...`);
    const fetched = await ask(...bounded, 'fetch', '--quiet', '--depth=1', '--no-tags', named, ref);
    if (fetched.exitCode !== 0) {
      throw new UserError(
        `${key}: git cannot fetch ${ref} of ${named}: ${saidBy(fetched)}. Name a branch, a tag or all 40 digits of a commit, or clone the repository and name its folder.`,
        { printed: fetched.stderr.trim() },
      );
    }
    const { stdout } = await ask('rev-parse', 'FETCH_HEAD^{commit}');
    return { repository, rev: stdout.trim() };
  } finally {
    lock.release();
  }
}

/** A connection that passes nothing for a minute ends. Tidying up would go on in the background, beside a trial. */
const bounded = [
  '-c',
  'http.lowSpeedLimit=1',
  '-c',
  'http.lowSpeedTime=60',
  '-c',
  'gc.auto=0',
  '-c',
  'maintenance.auto=false',
];

/** Why git failed, in a line of its own words. */
function saidBy({ stderr, exitCode }: CommandResult): string {
  const [line] = stderr.split('\n').filter((one) => one.startsWith('fatal: '));
  return line === undefined ? `git ended with ${exitCode ?? 'a signal'}` : withoutStop(line.slice('fatal: '.length));
}
