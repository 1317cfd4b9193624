import { closeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { createLogUpdate } from 'log-update';
import { visibleInColour } from '../report/words/visible.ts';
import type { ExitCode, Io, StatusLine } from './io.ts';
import { main } from './main.ts';

/**
 * Runs the command line with this process's arguments, streams, signals and exit code. All other code gets these as values.
 */
const interruption = new AbortController();
const interrupting = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
for (const signal of interrupting) {
  process.on(signal, () => interruption.abort(new Error(`interrupted by ${signal}`)));
}
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that went away (`pgduet plan | head`) is no error of ours. Everything else, such as a closed terminal or a full
    // disk, ends the command as Ctrl-C does: an error that is thrown here would leave servers, mounts and processes.
    if (error.code === 'EPIPE') return;
    interruption.abort(new Error(`interrupted: the output cannot be written (${error.message})`));
    if (error.code === 'EIO') process.once('exit', closeTerminal);
    else process.exitCode = 2;
  });
}

// Node waits for a terminal within write(): one that takes no more, such as that of a frozen ssh, would keep this process from
// hearing a signal. Node itself has no other way to say it.
for (const stream of [process.stdout, process.stderr]) {
  const { _handle: handle } = stream as { _handle?: { setBlocking?: (blocking: boolean) => void } };
  if (stream.isTTY) handle?.setBlocking?.(false);
}

// Settings of PostgreSQL's clients, such as PGSSLMODE and PGOPTIONS, would reach our connections and those of the load
// generator. Only what we name to them may. The commands see the settings in `io.environment`.
const environment = { ...process.env };
for (const name of Object.keys(process.env)) {
  if (name.startsWith('PG') && !name.startsWith('PGDUET_')) Reflect.deleteProperty(process.env, name);
}

const { NO_COLOR, TERM, CI, COLUMNS } = process.env;
const io: Io = {
  stdin: process.stdin,
  stdout: harmless(process.stdout),
  stderr: harmless(process.stderr),
  environment,
  workingFolder: process.cwd(),
  signal: interruption.signal,
  statusLine: process.stderr.isTTY && TERM !== 'dumb' && CI === undefined ? statusLine() : null,
  // A terminal that does not know its width says 0.
  columns: process.stdout.columns || process.stderr.columns || Number(COLUMNS) || 80,
  colour: process.stdout.isTTY && (NO_COLOR === undefined || NO_COLOR === ''),
  setExitCode(code: ExitCode) {
    process.exitCode = code;
  },
};
await main(process.argv.slice(2), io);
// Nothing hears the interruption any more: should anything keep this process from ending, a signal still does, with the exit code
// of what is done.
for (const signal of interrupting) process.removeAllListeners(signal).once(signal, () => process.exit());
// Nor is a terminal waited for that takes no more.
if (interruption.signal.aborted) setTimeout(() => process.exit(), 2000).unref();

/** At its end, Node gives a terminal its settings back, and aborts if the terminal is gone. It leaves closed ones alone. */
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
    // Where the terminal does not take them, they are not kept for it.
    show: (text) => process.stderr.writableNeedDrain || draw(visibleInColour(text)),
    clear: () => draw.clear(),
  };
}

/** A stream that passes texts on without what would act on a terminal. */
function harmless(stream: NodeJS.WriteStream): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string, _, done) {
      stream.write(visibleInColour(text));
      done();
    },
  });
}
