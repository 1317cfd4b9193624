import { availableParallelism } from 'node:os';
import path from 'node:path';
import { isLostConnection, isDiskFull, UserError } from '../../contract/errors.ts';
import { connectionString, type Target } from '../../postgres/target.ts';
import { CommandError, type CommandResult, runCommand } from '../../process/run-command.ts';
import { loadingTarget } from '../loading.ts';
import { clientEnvironment } from '../pgbench/arguments.ts';
import { newerDumpRemedy, type OwnDataPlaces, programIn } from './psql.ts';
import type { DumpFormat } from './dump-format.ts';

/** More jobs would only wait for each other, because most of the time goes into a few large tables. */
const mostJobs = 8;

/** How long a plan may wait while pg_restore reads an archive. */
const mostSecondsToRead = 10;

/**
 * Lets pg_restore read an archive of pg_dump as in a restore, as far as it gets in a moment. Listing the contents would
 * not read the rows.
 *
 * @throws {UserError} with what pg_restore says, if it cannot be read
 */
export async function requireArchive(
  name: string,
  { programs, scriptFolder }: OwnDataPlaces,
  signal: AbortSignal,
): Promise<void> {
  const longEnough = AbortSignal.timeout(mostSecondsToRead * 1000);
  try {
    const result = await runCommand(
      [programIn(programs, 'pg_restore'), '--file=/dev/null', path.resolve(scriptFolder, name)],
      { environment: { PATH: process.env['PATH'], LC_ALL: 'C' }, signal: AbortSignal.any([signal, longEnough]) },
    );
    if (result.exitCode !== 0) throw unreadable(name, result);
  } catch (error) {
    signal.throwIfAborted();
    if (!longEnough.aborted || error instanceof UserError) throw error;
  }
}

function unreadable(name: string, result: CommandResult): UserError {
  return new UserError(withRemedy(`load.dump ${name} cannot be read. ${errorsOf(result)}`));
}

/** How many tables with rows an archive of pg_dump has. @throws {UserError} if it cannot be read */
export async function tablesInDump(
  name: string,
  { programs, scriptFolder }: OwnDataPlaces,
  signal: AbortSignal,
): Promise<number> {
  const file = path.resolve(scriptFolder, name);
  let tables = 0;
  const result = await runCommand([programIn(programs, 'pg_restore'), '--list', file], {
    environment: { PATH: process.env['PATH'], LC_ALL: 'C' },
    signal,
    onStdoutLine(line) {
      if (/^\d+; \d+ \d+ TABLE DATA /.test(line)) tables += 1;
    },
  });
  if (result.exitCode !== 0) throw unreadable(name, result);
  return tables;
}

/**
 * Restores an archive of pg_dump. The first error ends it. Owners and privileges are left out, because their roles do
 * not exist on this server.
 *
 * @param onTable is called for each table whose rows begin to arrive
 * @throws {UserError} with what pg_restore says, if the dump is wrong
 */
export async function restoreDump(
  target: Target,
  { name, format }: { name: string; format: Exclude<DumpFormat, 'plain'> },
  { programs, scriptFolder }: OwnDataPlaces,
  { signal, onTable }: { signal: AbortSignal; onTable: () => void },
): Promise<CommandResult> {
  const jobs = Math.min(mostJobs, availableParallelism());
  const result = await runCommand(
    [
      programIn(programs, 'pg_restore'),
      ...['--verbose', '--exit-on-error', '--no-owner', '--no-privileges'],
      // pg_restore cannot seek within a tar file, so it takes only one job.
      ...(format === 'custom' ? [`--jobs=${jobs}`] : []),
      `--dbname=${connectionString(target)}`,
      path.resolve(scriptFolder, name),
    ],
    {
      environment: clientEnvironment(await loadingTarget(target, signal)),
      signal,
      onStderrLine(line) {
        if (line.startsWith('pg_restore: processing data for table')) onTable();
      },
    },
  );
  if (result.exitCode === 0) return result;
  const errors = errorsOf(result);
  // pg_restore prints no SQLSTATE.
  if (isLostConnection(errors) || isDiskFull(errors)) {
    throw new CommandError(['pg_restore', name], { ...result, stderr: errors });
  }
  throw new UserError(withRemedy(`load.dump ${name} could not be restored on ${target.server}. ${errors}`));
}

function withRemedy(text: string): string {
  return [text, newerDumpRemedy(text)].filter((part) => part !== null).join('\n');
}

/** What went wrong, without the progress that pg_restore prints to the same stream. */
function errorsOf({ stderr, exitCode }: CommandResult): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const from = lines.findIndex((line) => line.startsWith('pg_restore: error:'));
  const errors =
    from < 0 ? lines.slice(-3) : lines.slice(Math.max(0, from - (isEntry(lines[from - 1]) ? 1 : 0)), from + 4);
  return errors.length === 0 ? `pg_restore ended with ${exitCode ?? 'a signal'}` : errors.join('\n');
}

/** Whether the line says which entry of the archive the next line's error is about. */
function isEntry(line: string | undefined): boolean {
  return line?.includes('from TOC entry') ?? false;
}
