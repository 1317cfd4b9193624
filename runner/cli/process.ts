import { inAscii, isAsciiOnly } from '../report/media/ascii.ts';
import { closeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { createLogUpdate } from 'log-update';
import { visibleInColour } from '../report/media/wrap.ts';
import { nameFile } from '../contract/errors.ts';
import { type ExitCode, type Io, ReportedError, type StatusLine } from './io.ts';
import { main, reportError } from './main.ts';
import type { Verb } from './verb.ts';

/** Long enough to stop servers and to release volumes, even where some hang. */
const secondsToCleanUp = 120;

/**
 * Runs the command line with this process's arguments, streams, signals and exit code. All other code receives them as
 * values.
 *
 * @param further commands that this room cannot carry out, such as those that need the CDK
 */
export async function runProcess(further: readonly Verb[] = []): Promise<void> {
  // Under umask 000, other users could put symbolic links among the results that we write.
  process.umask(process.umask(0o077) | 0o002);
  const interruption = new AbortController();
  let hasEnded = false;
  // These listeners stay: between two of them, a further signal would end this process by itself, without an exit code.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // Nothing listens to the interruption any more. If anything keeps this process from ending, a signal still ends it,
      // with the exit code set so far.
      if (hasEnded) process.exit();
      interruption.abort(new Error(`interrupted by ${signal}`));
    });
  }
  // On its own, Node would remove the listeners some time before it ends.
  process.on('beforeExit', () => process.exit());
  // On a terminal, write() blocks. A terminal that takes no more output, such as that of a frozen ssh session, would keep
  // this process from handling signals. Node has no public way to change this.
  for (const stream of [process.stdout, process.stderr]) {
    const { _handle: handle } = stream as { _handle?: { setBlocking?: (blocking: boolean) => void } };
    if (stream.isTTY) handle?.setBlocking?.(false);
  }

  // Settings of PostgreSQL's clients, such as PGSSLMODE and PGOPTIONS, would reach our connections and those of the load
  // generator, so we remove them. Connections get only what we set explicitly. Commands still see them in
  // `io.environment`.
  const environment = { ...process.env };
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('PG') && !name.startsWith('PGDUET_')) Reflect.deleteProperty(process.env, name);
  }

  const { NO_COLOR, TERM, CI } = process.env;
  const io: Io = {
    stdin: process.stdin,
    stdout: harmless(process.stdout),
    stderr: harmless(process.stderr),
    environment,
    workingFolder: process.cwd(),
    canAnswer: process.stdin.isTTY && process.stderr.isTTY && CI === undefined,
    signal: interruption.signal,
    statusLine: process.stderr.isTTY && TERM !== 'dumb' && CI === undefined ? statusLine() : null,
    columns: widthOf(process.stdout),
    errorColumns: widthOf(process.stderr),
    colour: process.stdout.isTTY && (NO_COLOR === undefined || NO_COLOR === ''),
    setExitCode(code: ExitCode) {
      process.exitCode = code;
    },
  };
  // Words first: what waits for the end of what failed may never continue.
  const endBy = (error: unknown): void => {
    if (interruption.signal.aborted) return;
    reportError(error, io);
    interruption.abort(new ReportedError('what went wrong was said'));
    setTimeout(() => process.exit(), secondsToCleanUp * 1000).unref();
  };
  process.on('uncaughtException', endBy);
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // A reader that goes away (`pgduet plan | head`) is not an error. Anything else, such as a closed terminal or a
      // full disk, ends the command as Ctrl-C does. An error thrown here would leave servers, mounts and processes
      // behind.
      if (error.code === 'EPIPE') return;
      if (error.code === 'EIO' && stream.isTTY) {
        interruption.abort(new Error(`interrupted: the terminal is gone (${error.message})`));
        process.once('exit', closeTerminal);
      } else endBy(nameFile(error, 'the output'));
    });
  }
  await main(process.argv.slice(2), io, further);
  hasEnded = true;
  // We do not wait for a terminal that takes no more output either.
  if (interruption.signal.aborted) setTimeout(() => process.exit(), 2000).unref();
}

/**
 * On exit, Node restores the settings of a terminal, and aborts if the terminal is gone. It skips closed descriptors.
 */
function closeTerminal(): void {
  for (const descriptor of [0, 1, 2]) {
    try {
      closeSync(descriptor);
    } catch {
      // It was closed before.
    }
  }
}

function statusLine(): StatusLine {
  const draw = createLogUpdate(process.stderr);
  return {
    // If the terminal takes no more output, status lines are dropped and not queued.
    show: (text) =>
      process.stderr.writableNeedDrain ||
      draw(isAsciiOnly(process.env) ? inAscii(visibleInColour(text)) : visibleInColour(text)),
    clear: () => draw.clear(),
  };
}

function widthOf({ isTTY, columns }: NodeJS.WriteStream): number {
  return isTTY ? columns || Number(process.env['COLUMNS']) || 0 : Infinity;
}

/** A stream that passes texts on without characters that would control a terminal. */
function harmless(stream: NodeJS.WriteStream): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string, _, done) {
      const shown = visibleInColour(text);
      stream.write(stream.isTTY && isAsciiOnly(process.env) ? inAscii(shown) : shown);
      done();
    },
  });
}
