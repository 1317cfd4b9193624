import { existsSync } from 'node:fs';
import path from 'node:path';
import { askProgram } from '../../process/run-command.ts';
import type { PostgresBinaries } from './installations.ts';

/** The library that RDS preloads, too: it counts what each statement costs. It is one of contrib. */
export const statementsLibrary = 'pg_stat_statements';

/** Whether this installation has it: a server does not start if it lacks a library that it is to preload. */
export async function hasStatementsLibrary(
  { folder }: Pick<PostgresBinaries, 'folder'>,
  signal: AbortSignal,
): Promise<boolean> {
  const told = await askProgram([path.join(folder, 'pg_config'), '--pkglibdir'], { signal }).catch(() => null);
  signal.throwIfAborted();
  const libraries =
    told?.exitCode === 0
      ? [told.stdout.trim()]
      : // Where pg_config is in a package of its own, the libraries are usually beside the programs.
        ['../lib', '../lib/postgresql', '../lib64/pgsql'].map((one) => path.join(folder, one));
  return libraries.some((one) =>
    ['so', 'dylib'].some((suffix) => existsSync(path.join(one, `${statementsLibrary}.${suffix}`))),
  );
}
