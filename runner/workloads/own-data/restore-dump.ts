import path from 'node:path';
import { PassThrough } from 'node:stream';
import { UserError } from '../../contract/errors.ts';
import { failureInOutput } from '../../contract/printed.ts';
import { readPart, readStream } from '../../files/read.ts';
import { usableProcessors } from '../../machine/capacity.ts';
import { withConnection } from '../../postgres/connect.ts';
import { connectionString, outsideLoad, type Target } from '../../postgres/target.ts';
import { type Client, withClient } from '../../process/client.ts';
import { askProgram, CommandError, type CommandResult } from '../../process/run-command.ts';
import { loadingTarget } from '../loading.ts';
import { archiveFormat, type DumpFormat, dumpFormat } from './dump-format.ts';
import { type DumpReader, headFor, maxHeadBytes, textFor } from './dump-text.ts';
import { type OpenPlaces, type OwnDataPlaces, programIn, runSqlFile, unknownParameterRemedy } from './psql.ts';
import { type Restorer, restorerFor, restorersOf } from './restorers.ts';

/** More jobs would only wait for each other, because most of the time goes into a few large tables. */
const maxJobs = 8;

/** How long a plan may wait while pg_restore reads an archive. */
const maxSecondsToRead = 10;

/** A dump of the user, and what can load it here. */
export type OpenedDump =
  | { name: string; format: 'plain' }
  | {
      name: string;
      format: Exclude<DumpFormat, 'plain'>;
      restorers: readonly [Restorer, ...Restorer[]];
    };

/** @throws {UserError} if it is not a dump, or nothing here can read it */
export async function openDump(name: string, places: OwnDataPlaces, signal: AbortSignal): Promise<OpenedDump> {
  const file = path.resolve(places.scriptFolder, name);
  const format = dumpFormat(file, name);
  if (format === 'plain') return { name, format };
  return { name, format, restorers: await restorersOf({ name, format: archiveFormat(file, format) }, places, signal) };
}

/**
 * Lets pg_restore read an archive of pg_dump as in a restore, as far as it gets in a moment. Listing the contents would
 * not read the rows.
 *
 * @throws {UserError} with what pg_restore says, if it cannot be read
 */
export async function requireReadable(name: string, places: OwnDataPlaces, signal: AbortSignal): Promise<void> {
  const dump = await openDump(name, places, signal);
  if (dump.format === 'plain') return;
  const longEnough = AbortSignal.timeout(maxSecondsToRead * 1000);
  try {
    const command = [programIn(dump.restorers[0].folder, 'pg_restore'), '--file=/dev/null'];
    const input = readStream(path.resolve(places.scriptFolder, name));
    const result = await withClient({ signal }, ({ run }) =>
      run(command, { input, signal: AbortSignal.any([signal, longEnough]) }),
    );
    if (result.exitCode !== 0) throw unreadable(name, result);
  } catch (error) {
    signal.throwIfAborted();
    if (!longEnough.aborted || error instanceof UserError) throw error;
  }
}

/**
 * Loads a dump into an empty database. The first error ends it. Of an archive, owners and privileges are left out,
 * because their roles do not exist on this server.
 *
 * @param onProgress receives the part of the tables whose rows have begun to arrive
 * @returns what the programs said
 * @throws {UserError} with what they say, if the dump is wrong
 */
export async function loadDump(
  target: Target,
  dump: OpenedDump,
  places: OpenPlaces,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (done: number) => void },
): Promise<string> {
  const serverMajor = await majorOfServer(target, signal);
  if (dump.format === 'plain') return loadPlain(target, dump.name, places, { serverMajor, signal });
  const { folder, onlyWrites } = restorerFor(serverMajor, dump.restorers);
  const program = programIn(folder, 'pg_restore');
  const file = places.client.pathOf(path.resolve(places.scriptFolder, dump.name));
  const tables = await tablesIn(places.client, dump.name, [program, '--list', file], signal);
  let begun = 0;
  const restoring = {
    command: [program, '--verbose', '--exit-on-error', '--no-owner', '--no-privileges', file],
    onStderrLine(line: string): void {
      if (line.startsWith('pg_restore: processing data for table')) onProgress(begun++ / Math.max(tables, 1));
    },
    signal,
  };
  return onlyWrites
    ? restoreAsText(target, dump.name, { ...places, programs: folder }, { ...restoring, serverMajor })
    : restoreDirectly(target, dump, places.client, restoring);
}

async function loadPlain(
  target: Target,
  name: string,
  places: OpenPlaces,
  { serverMajor, signal }: { serverMajor: number; signal: AbortSignal },
): Promise<string> {
  const file = path.resolve(places.scriptFolder, name);
  const reader = await readerIn(places.programs, serverMajor, signal);
  const head = readPart(file, { from: 0, bytes: maxHeadBytes }).toString('latin1');
  // psql finds what a file includes beside it only if it reads the file itself.
  const text = headFor(head, reader).text === head ? undefined : textFor(readStream(file), reader);
  return (await runSqlFile(target, name, places, { key: 'load.dump', loads: true, text, signal })).stderr;
}

interface Restoring {
  command: readonly string[];
  onStderrLine: (line: string) => void;
  signal: AbortSignal;
}

async function restoreDirectly(
  target: Target,
  { name, format }: Pick<OpenedDump, 'name' | 'format'>,
  client: Client,
  { command, signal, onStderrLine }: Restoring,
): Promise<string> {
  // pg_restore cannot seek within a tar file, so it takes only one job.
  const jobs = format === 'custom' ? [`--jobs=${Math.min(maxJobs, usableProcessors())}`] : [];
  const { environment } = await loadingTarget(target, signal);
  const whole = [...command, ...jobs, `--dbname=${connectionString(target)}`];
  const result = await client.run(whole, { environment, signal, onStderrLine });
  if (result.exitCode === 0) return result.stderr;
  const errors = errorsOf(result);
  // pg_restore prints no SQLSTATE.
  if (failureInOutput(errors) !== null) {
    throw new CommandError(['pg_restore', name], { ...result, stderr: errors });
  }
  const remedy = unknownParameterRemedy(errors);
  const message = `load.dump ${name} could not be restored on ${target.server}. ${errors}`;
  throw new UserError(remedy === null ? message : `${message}\n${remedy}`, { printed: errors });
}

/** pg_restore writes the archive as SQL, of which psql gets what the server knows. */
async function restoreAsText(
  target: Target,
  name: string,
  places: OpenPlaces,
  { command, serverMajor, signal, onStderrLine }: Restoring & { serverMajor: number },
): Promise<string> {
  const output = new PassThrough();
  const text = textFor(output, await readerIn(places.programs, serverMajor, signal));
  const [loaded, written] = await Promise.allSettled([
    // Without psql, pg_restore would wait for somebody who reads.
    runSqlFile(target, name, places, { key: 'load.dump', loads: true, text, signal }).finally(() => output.destroy()),
    places.client.run([...command, '--file=-'], { signal, onStderrLine, output }).catch((error: unknown) => {
      // Otherwise psql would wait for it.
      output.destroy(error as Error);
      throw error;
    }),
  ]);
  if (loaded.status === 'rejected') throw loaded.reason as Error;
  if (written.status === 'rejected') throw written.reason as Error;
  if (written.value.exitCode !== 0) throw unreadable(name, written.value);
  return written.value.stderr + loaded.value.stderr;
}

async function majorOfServer(target: Target, signal: AbortSignal): Promise<number> {
  // The database itself may be missing by now.
  const { rows } = await withConnection(
    outsideLoad(target),
    (client) => client.query<{ major: number }>("SELECT current_setting('server_version_num')::int / 10000 AS major"),
    signal,
  );
  return rows[0]?.major ?? 0;
}

async function readerIn(folder: string, serverMajor: number, signal: AbortSignal): Promise<DumpReader> {
  const { stdout } = await askProgram([programIn(folder, 'psql'), '--version'], { signal });
  return { serverMajor, psql: stdout };
}

/** How many tables with rows an archive has. @throws {UserError} if it cannot be read */
async function tablesIn(
  client: Client,
  name: string,
  command: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  let tables = 0;
  const result = await client.run(command, {
    signal,
    onStdoutLine(line) {
      if (/^\d+; \d+ \d+ TABLE DATA /.test(line)) tables += 1;
    },
  });
  if (result.exitCode !== 0) throw unreadable(name, result);
  return tables;
}

function unreadable(name: string, result: CommandResult): UserError {
  return new UserError(`load.dump ${name} cannot be read. ${errorsOf(result)}`);
}

/** What went wrong, without the progress that pg_restore prints to the same stream. */
function errorsOf({ stderr, exitCode }: CommandResult): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const from = lines.findIndex((line) => line.startsWith('pg_restore: error:'));
  const errors =
    from < 0 ? lines.slice(-3) : lines.slice(Math.max(0, from - (isEntry(lines[from - 1]) ? 1 : 0)), from + 4);
  return errors.length === 0 ? `pg_restore exited with ${exitCode ?? 'a signal'}` : errors.join('\n');
}

/** Whether the line says which entry of the archive the next line's error is about. */
function isEntry(line: string | undefined): boolean {
  return line?.includes('from TOC entry') ?? false;
}
