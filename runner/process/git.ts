import type { CommandOptions, CommandResult } from './run-command.ts';
import { runCommand } from './run-command.ts';

/** A hook of another repository sets these, and git would take what they name in place of the folder that we name. */
const setByHooks = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX', 'GIT_OBJECT_DIRECTORY'];

/**
 * Asks git about the repository around a folder, and returns what it printed, whatever its exit code. Nobody could
 * answer a question about a password, so it asks none.
 *
 * @throws {Error} of the system, with the code ENOENT if git is not installed; the signal's reason if it aborted
 */
export function runGit(
  folder: string,
  args: readonly string[],
  {
    environment,
    ...options
  }: Pick<CommandOptions, 'output'> & {
    environment: Readonly<Record<string, string | undefined>>;
    signal: AbortSignal;
  },
): Promise<CommandResult> {
  const own = Object.fromEntries(Object.entries(environment).filter(([name]) => !setByHooks.includes(name)));
  return runCommand(['git', '-C', folder, ...args], {
    ...options,
    environment: { ...own, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
    signal: options.signal,
  });
}
