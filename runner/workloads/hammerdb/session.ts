import path from 'node:path';
import { PartError } from '../../contract/errors.ts';
import { removeTree, writeFileIn } from '../../files/write.ts';
import { readTextWhole } from '../../files/read.ts';
import { loadApplication, type Target } from '../../postgres/target.ts';
import { makeOwnedFolder } from '../../process/owned-folder.ts';
import { runCommand } from '../../process/run-command.ts';
import { shortenOutput } from '../../process/shorten-output.ts';
import { ofTheRun, linesOf } from './output/lines.ts';

export interface SessionRequest {
  /** Folder of HammerDB. */
  install: string;
  /** Tcl that it carries out. */
  script: string;
  /** Further files for its temporary folder, which only we may read, by name. */
  files?: Readonly<Record<string, string>>;
  /** Environment that reaches the target's server; none where no server is needed. */
  environment?: Target['environment'];
  /** A process that takes longer is ended: some failures make HammerDB wait for ever. */
  limitSeconds: number;
  /** Lines after which it is ended at once. */
  isError?: (line: string) => boolean;
  onLine?: (line: string) => void;
  onStart?: (pid: number) => void;
  /** File that gets what it prints, however it ends. @default one of its temporary folder */
  log?: string;
  signal: AbortSignal;
}

export interface Printed {
  lines: readonly string[];
  /** From its start to its last line. */
  seconds: number;
}

/** A process of HammerDB that is going on. */
export interface Session {
  /** What it printed, when it has ended; rejects if it was ended, or says an error. Nobody needs to wait for it. */
  ended: Promise<Printed>;
  /** Resolves when a line like this has come; rejects if the process ends before. */
  until(pattern: RegExp): Promise<void>;
  /** Ends it with everything that it has started. */
  end(reason: Error): Promise<void>;
}

/**
 * Starts HammerDB with a script. It gets a temporary folder of its own, where it keeps its settings, which is removed when
 * it has ended.
 */
export function startSession(request: SessionRequest): Session {
  const { install, script, files = {}, limitSeconds, isError, onLine } = request;
  const { path: folder } = makeOwnedFolder();
  const ending = new AbortController();
  const awaited: { pattern: RegExp; resolve: () => void }[] = [];
  const seen: string[] = [];
  function hear(line: string): void {
    seen.push(line);
    if (seen.length > mostSeen) seen.shift();
    if (isError?.(line)) ending.abort(new PartError(`HammerDB: ${line}`));
    if (ending.signal.aborted) return;
    onLine?.(line);
    for (const { pattern, resolve } of awaited) if (pattern.test(line)) resolve();
  }
  const limit = setTimeout(
    () =>
      ending.abort(
        new PartError(
          `HammerDB did not end within ${Math.round(limitSeconds / 60)} minutes; its last line: ${seen.at(-1) ?? 'none'}`,
        ),
      ),
    limitSeconds * 1000,
  );
  async function run(): Promise<Printed> {
    const log = request.log ?? path.join(folder, 'output.log');
    try {
      for (const [name, text] of Object.entries({ ...files, 'script.tcl': script })) {
        await writeFileIn(folder, name, text, { readers: 'owner' });
      }
      const { exitCode, printedForSeconds: seconds } = await runCommand(
        [path.join(install, 'hammerdbcli'), 'auto', path.join(folder, 'script.tcl')],
        {
          // It looks for its own files there.
          cwd: install,
          environment: sessionEnvironment(folder, request.environment ?? {}),
          signal: AbortSignal.any([request.signal, ending.signal]),
          ...(request.onStart && { onStart: request.onStart }),
          files: { stdout: log, stderr: log },
          onStdoutLine: hear,
        },
      );
      if (exitCode !== 0) {
        throw new PartError(`HammerDB ended with ${exitCode ?? 'a signal'}; its last line: ${seen.at(-1) ?? 'none'}`);
      }
      await shortenOutput(log, ofTheRun);
      return { lines: linesOf(readTextWhole(log)), seconds };
    } catch (error) {
      // Why it failed comes first.
      await shortenOutput(log, ofTheRun).catch(() => undefined);
      throw error;
    } finally {
      clearTimeout(limit);
      removeTree(folder);
    }
  }
  const ended = run();
  // Who abandons a session does not wait for it.
  ended.catch(() => undefined);
  return {
    ended,
    async until(pattern) {
      if (seen.some((line) => pattern.test(line))) return;
      await Promise.race([
        new Promise<void>((resolve) => awaited.push({ pattern, resolve })),
        ended.then(() =>
          Promise.reject(new PartError(`HammerDB ended early; its last line: ${seen.at(-1) ?? 'none'}`)),
        ),
      ]);
    },
    async end(reason) {
      ending.abort(reason);
      await ended.catch(() => undefined);
    },
  };
}

/** Of the lines, so many are kept for who asks what has come. */
const mostSeen = 1000;

/** Nothing of ours reaches HammerDB but what a target names. */
function sessionEnvironment(folder: string, ofTarget: Target['environment']): Record<string, string | undefined> {
  return {
    PATH: process.env['PATH'],
    LD_LIBRARY_PATH: process.env['LD_LIBRARY_PATH'],
    // Its first lines have a character that is not ASCII.
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    HOME: folder,
    TMP: folder,
    PGAPPNAME: loadApplication,
    ...ofTarget,
  };
}
