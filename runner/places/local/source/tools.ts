import { UserError } from '../../../contract/errors.ts';
import { list } from '../../../contract/format.ts';
import type { Client } from '../../../process/client.ts';
import type { CommandResult } from '../../../process/run-command.ts';
import { plainEnvironment } from '../../../process/rights.ts';
import { isForAnother } from '../../../process/unpack.ts';
import { toolsCommand } from '../package-manager.ts';
import type { Finding } from './code.ts';

/** Asks a program for something, as the user who builds. */
export type Ask = (command: readonly string[]) => Promise<CommandResult>;

export function askBy({ run }: Pick<Client, 'run'>, { environment, signal }: Finding): Ask {
  return (command) => run(command, { environment: { PATH: buildPath(environment) }, signal });
}

/** Users who build for themselves have their own tools. Root's PATH may lead anywhere, and another user builds. */
export function buildPath({ PATH }: Finding['environment']): string {
  return PATH === undefined || isForAnother() ? plainEnvironment.PATH : PATH;
}

/** A C compiler. */
export interface Compiler {
  /** As the shell takes it, such as `gcc` or `clang -m32`. */
  command: string;
  /** As it says, such as `gcc (Debian 12.2.0-14) 12.2.0`. */
  words: string;
}

/** The first of these compilers that is here; null if none is. */
export async function findCompiler(ask: Ask, commands: readonly string[]): Promise<Compiler | null> {
  for (const command of commands) {
    // The shell splits it into words, as make does.
    const { exitCode, stdout } = await ask(['/bin/sh', '-c', '$1 --version', 'sh', command]);
    const [words = ''] = stdout.split('\n');
    if (exitCode === 0) return { command, words: words.trim() };
  }
  return null;
}

/** Where a program is in the PATH of whoever builds; null if it is not there. */
export async function pathFor(ask: Ask, program: string): Promise<string | null> {
  const { exitCode, stdout } = await ask(['/bin/sh', '-c', 'command -v "$1"', 'sh', program]);
  return exitCode === 0 ? stdout.trim() : null;
}

/**
 * Requires what a build needs, before anything is made.
 *
 * @param needs.what is built, such as `PostgreSQL 17.5`
 * @param needs.programs besides make and tar
 * @throws {UserError} with what is missing, and the command that installs it
 */
export async function requireTools(
  ask: Ask,
  key: string,
  needs: { what: string; compiler: Compiler | null; programs?: readonly string[] },
): Promise<void> {
  const { what, compiler, programs = [] } = needs;
  const missing = compiler === null ? ['a C compiler'] : [];
  for (const program of ['make', 'tar', ...programs]) {
    if ((await pathFor(ask, program)) === null) missing.push(program);
  }
  if (missing.length === 0) return;
  throw new UserError(
    `${key}: to build ${what}, this machine needs ${list(missing)}. Install what a build needs: ${toolsCommand()}`,
  );
}
