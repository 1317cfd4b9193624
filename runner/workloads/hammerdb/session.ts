import path from 'node:path';
import { PartError, UserError } from '../../contract/errors.ts';
import { failureBy } from '../../contract/printed.ts';
import { loadApplication, type Target } from '../../postgres/target.ts';
import type { HammerdbWorkload } from './schema.ts';
import { readTextWhole } from '../../files/read.ts';
import { withClient } from '../../process/client.ts';
import { shortenOutput } from '../../process/shorten-output.ts';
import { linesOf, keptLine } from './output/lines.ts';

/**
 * Tcl commands that say how to reach a target. They hold no password, because HammerDB prints what `diset` sets and
 * writes it to its disk. An empty password makes libpq read PGPASSFILE; in a connection string it is written as `''`.
 *
 * @param user who owns the tables, or will own them
 * @throws {UserError} if a name has characters that would break HammerDB's own scripts
 */
export function connectionCommands(target: Target, user: string = target.user): string[] {
  const { host, port, database } = target;
  for (const [what, value] of Object.entries({ host, user, database, 'user of the target': target.user })) {
    if (!/^[\w.:/-]+$/.test(value)) {
      throw new UserError(
        `${target.server}: HammerDB cannot work with the ${what} ${JSON.stringify(value)}; expected only letters, digits and _ . : / -.`,
      );
    }
  }
  return [
    // Lines must arrive at once: we look for errors while HammerDB runs.
    'fconfigure stdout -buffering line',
    'dbset db pg',
    'dbset bm TPC-C',
    `diset connection pg_host ${host}`,
    `diset connection pg_port ${port}`,
    `diset connection pg_sslmode ${target.environment['PGSSLMODE'] ?? 'prefer'}`,
    `diset tpcc pg_superuser ${target.user}`,
    `diset tpcc pg_defaultdbase ${database}`,
    `diset tpcc pg_user ${user}`,
    `diset tpcc pg_dbase ${database}`,
    noPassword('pg_superuserpass'),
    noPassword('pg_pass'),
  ];
}

function noPassword(key: string): string {
  return `dict set ::configpostgresql tpcc ${key} {''}`;
}

/** The text of a script from its commands. */
export function asScript(commands: readonly string[]): string {
  return [...commands, 'exit', ''].join('\n');
}

/** The script by which HammerDB checks that its schema is whole and consistent. */
export function checkScript(target: Target, { warehouses }: Pick<HammerdbWorkload, 'warehouses'>): string {
  return asScript([...connectionCommands(target), `diset tpcc pg_count_ware ${warehouses}`, 'checkschema']);
}

/** The script that shows the version, and loads the libraries of the databases. */
export const libraryScript = asScript(['fconfigure stdout -buffering line', 'librarycheck']);

export interface SessionRequest {
  /** Folder of HammerDB. */
  install: string;
  /** Tcl commands to run. */
  script: string;
  /** Further files for its temporary folder, which nobody else may read, by name. */
  files?: Readonly<Record<string, string>>;
  /** Environment to reach the target's server; none if no server is needed. */
  environment?: Target['environment'];
  /** A process that takes longer is ended, because some failures make HammerDB wait for ever. */
  limitSeconds: number;
  /** Whether to end the process at once after this line. */
  isError?: (line: string) => boolean;
  onLine?: (line: string) => void;
  onStart?: (pid: number) => void;
  /** File for what the process prints, however it ends. @default one in its temporary folder */
  log?: string;
  signal: AbortSignal;
}

export interface Printed {
  lines: readonly string[];
  /** From its start to its last line. */
  seconds: number;
}

/** A running process of HammerDB. */
export interface Session {
  /** What it printed, once it has ended; rejects if it was stopped, or printed an error. Nobody needs to await it. */
  ended: Promise<Printed>;
  /** Resolves when the process has printed such a line; rejects if it ends first. */
  until(pattern: RegExp): Promise<void>;
  /** Ends the process and everything that it has started. */
  end(reason: Error): Promise<void>;
}

/**
 * Starts HammerDB with a script. The process keeps its settings in a temporary folder, which is removed when it has
 * ended.
 */
export function startSession(request: SessionRequest): Session {
  const { install, script, files = {}, limitSeconds, isError, onLine } = request;
  const ending = new AbortController();
  const awaited: { pattern: RegExp; resolve: () => void }[] = [];
  const latest: string[] = [];
  function hear(line: string): void {
    latest.push(line);
    if (latest.length > maxSeen) latest.shift();
    if (isError?.(line)) ending.abort(new PartError(`HammerDB: ${line}`, failureBy(line, 'load-failed')));
    if (ending.signal.aborted) return;
    onLine?.(line);
    for (const { pattern, resolve } of awaited) if (pattern.test(line)) resolve();
  }
  const limit = setTimeout(
    () =>
      ending.abort(
        new PartError(
          `HammerDB did not end within ${Math.round(limitSeconds / 60)} minutes; its last line: ${latest.at(-1) ?? 'none'}`,
          'load-overdue',
        ),
      ),
    limitSeconds * 1000,
  );
  async function run(): Promise<Printed> {
    const signal = AbortSignal.any([request.signal, ending.signal]);
    try {
      return await withClient({ own: { ...files, 'script.tcl': script }, signal }, async (client) => {
        const log = request.log ?? path.join(client.around, 'output.log');
        try {
          const { exitCode, printedForSeconds: seconds } = await client.run(
            [path.join(install, 'hammerdbcli'), 'auto', path.join(client.folder, 'script.tcl')],
            {
              // HammerDB looks for its own files there.
              cwd: install,
              environment: sessionEnvironment(client.folder, request.environment ?? {}),
              signal,
              ...(request.onStart && { onStart: request.onStart }),
              files: { stdout: log, stderr: log },
              onStdoutLine: hear,
            },
          );
          if (exitCode === 0) return { lines: await linesIn(log), seconds };
          throw new PartError(
            `HammerDB exited with ${exitCode ?? 'a signal'}; its last line: ${latest.at(-1) ?? 'none'}`,
            failureBy(latest.at(-1) ?? '', 'load-failed'),
          );
        } catch (error) {
          // The reason for the failure matters more than an error here.
          await shortenOutput(log, keptLine).catch(() => undefined);
          throw error;
        }
      });
    } finally {
      clearTimeout(limit);
    }
  }
  const ended = run();
  // Whoever abandons a session does not await it.
  ended.catch(() => undefined);
  return {
    ended,
    async until(pattern) {
      if (latest.some((line) => pattern.test(line))) return;
      await Promise.race([
        new Promise<void>((resolve) => awaited.push({ pattern, resolve })),
        ended.then(() =>
          Promise.reject(
            new PartError(
              `HammerDB ended early; its last line: ${latest.at(-1) ?? 'none'}`,
              failureBy(latest.at(-1) ?? '', 'load-failed'),
            ),
          ),
        ),
      ]);
    },
    async end(reason) {
      ending.abort(reason);
      await ended.catch(() => undefined);
    },
  };
}

async function linesIn(log: string): Promise<string[]> {
  await shortenOutput(log, keptLine);
  return linesOf(readTextWhole(log));
}

/** How many of the latest lines are kept for `until`, which may be called after its line has come. */
const maxSeen = 1000;

/** HammerDB gets nothing from our environment except these, and what a target names. */
function sessionEnvironment(
  folder: string,
  targetEnvironment: Target['environment'],
): Record<string, string | undefined> {
  return {
    // HammerDB brings no client library of PostgreSQL, and the user's may be anywhere.
    LD_LIBRARY_PATH: process.env['LD_LIBRARY_PATH'],
    // Its first lines have a character that is not ASCII.
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    HOME: folder,
    TMP: folder,
    PGAPPNAME: loadApplication,
    ...targetEnvironment,
  };
}
