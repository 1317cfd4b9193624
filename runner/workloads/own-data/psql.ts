import path from 'node:path';
import { isServerTrouble, UserError } from '../../contract/errors.ts';
import { exists } from '../../files/look.ts';
import { connectionString, type Target } from '../../postgres/target.ts';
import type { Client } from '../../process/client.ts';
import { CommandError, type CommandResult } from '../../process/run-command.ts';
import { loadingTarget } from '../loading.ts';
import { semicolonHint } from '../pgbench/script-mistakes.ts';

/** Where the files and programs for the user's own data are. */
export interface OwnDataPlaces {
  /** Folder of PostgreSQL's client programs. */
  programs: string;
  /** Folders with those of other versions. @default none */
  otherPrograms?: readonly string[] | undefined;
  /** Folder that paths of files are relative to. */
  scriptFolder: string;
}

/** The same, with what runs the programs. psql runs in its copy of the folder, so that \copy finds its files in the same way. */
export interface OpenPlaces extends OwnDataPlaces {
  client: Client;
}

/** What a client needs to run psql on these files, of which some may read others. */
export function readByPsql(files: readonly string[], { scriptFolder }: OwnDataPlaces): string[] {
  return [scriptFolder, ...files.map((file) => path.resolve(scriptFolder, file))];
}

/**
 * Runs one SQL file with psql. The first error ends it.
 *
 * @param name of the file as the experiment has it
 * @param options.key of the experiment that names it, such as `load.sql`
 * @param options.loads whether it fills an empty database: then all of it is one transaction, and names without a schema
 *   mean the same on every server
 * @param options.text what psql runs in place of the file's own text
 * @throws {UserError} with file, line and the server's message, if the file is wrong
 */
export async function runSqlFile(
  target: Target,
  name: string,
  { programs, scriptFolder, client }: OpenPlaces,
  { key, loads, text, signal }: { key: string; loads: boolean; text?: AsyncIterable<Buffer>; signal: AbortSignal },
): Promise<CommandResult> {
  const { environment } = await loadingTarget(target, signal, { ownSearchPath: !loads });
  const result = await client.run(
    [
      programIn(programs, 'psql'),
      ...['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--set=VERBOSITY=verbose', '--output=/dev/null'],
      ...(loads ? ['--single-transaction'] : []),
      `--file=${text ? '-' : path.isAbsolute(name) ? client.pathOf(name) : name}`,
      `--dbname=${connectionString(target)}`,
    ],
    {
      cwd: client.pathOf(scriptFolder),
      environment,
      signal,
      ...(text && { input: text }),
    },
  );
  if (result.exitCode === 0) return result;
  throw problemOf(result, `${key} ${name}`, target.server) ?? new CommandError(['psql', name], result);
}

/** The path of a program. @throws {UserError} if it is not there */
export function programIn(programs: string, name: string): string {
  const program = path.join(programs, name);
  if (exists(program)) return program;
  throw new UserError(
    `Loading your own data needs ${name}, which is not in ${programs}. Install the client programs of PostgreSQL there, or name another folder with --pg-bindir.`,
  );
}

/** How psql begins what a server says, in whatever language that says it: two blanks before the SQLSTATE. */
const serverMessage = /^([^:\n]+: ) ([0-9A-Z]{5}): /;

/**
 * What is wrong with a file; null if the trouble is with the server or the connection.
 *
 * psql says `psql:schema.sql:3: ERROR:  42601: syntax error at or near "TABEL"`, and then the position in the
 * statement. Warnings look alike; the error is the last.
 */
export function problemOf({ exitCode, stderr }: CommandResult, what: string, server: string): UserError | null {
  // psql ends with 2 if it has lost its connection, and with another code if the script is wrong.
  if (exitCode === 2) return null;
  const last = [...stderr.matchAll(/^psql:.*: (?: [0-9A-Z]{5}|error): /gm)].at(-1)?.index ?? 0;
  const found = /^psql:(.*):(\d+): ([\s\S]*)$/m.exec(stderr.slice(last));
  const text = found?.[3] ?? stderr;
  const code = serverMessage.exec(text)?.[2] ?? '';
  if (isServerTrouble(code)) return null;
  const line = found ? `, line ${found[2] ?? ''}` : '';
  const remedy = unknownParameterRemedy(text) ?? semicolonHint(text) ?? remedies[code];
  const words = text
    .replace(serverMessage, '$1')
    .split('\n')
    .filter((one) => !isPlaceInSource.test(one) && !one.startsWith('psql:') && one.trim() !== '')
    .slice(0, 5)
    .join('\n');
  return new UserError(`${what}${line}, on ${server}: ${words}${remedy === undefined ? '' : `\n${remedy}`}`, {
    printed: words,
  });
}

/** Such as `LOCATION:  scanner_yyerror, scan.l:1192`. */
const isPlaceInSource = /^[^:]+: {2}\w+, [\w.]+:\d+$/;

/** By SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const remedies: Readonly<Record<string, string>> = {
  '25001':
    'Each file of a load runs in one transaction. Remove CONCURRENTLY, VACUUM and ANALYZE: pgduet vacuums and analyzes after the load.',
  '42704':
    'A missing role exists only on the server you dumped. Dump without owners and privileges (pg_dump --no-owner --no-privileges).',
};

/** What to do if a dump sets a parameter that the server does not have; null if the errors are about something else. */
export function unknownParameterRemedy(errors: string): string | null {
  const parameter = /unrecognized configuration parameter "(\w+)"/.exec(errors)?.[1];
  if (parameter === undefined) return null;
  return `This server has no parameter ${parameter}. Remove it from the file. From a dump that is not plain text, make one first: pg_restore --file=plain.sql DUMP.`;
}
