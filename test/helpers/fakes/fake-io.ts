import { Readable, Writable } from 'node:stream';
import type { ExitCode, Io } from '../../../runner/cli/io.ts';
import { main } from '../../../runner/cli/main.ts';

/** What a command printed, and how it ended. */
export interface Printed {
  stdout: string;
  stderr: string;
  exitCode: ExitCode;
}

/** An Io that keeps the output. By default it is like a wide terminal without colours. */
export function fakeIo(options: Partial<Io> = {}): { io: Io; printed: () => Printed } {
  const printed: Printed = { stdout: '', stderr: '', exitCode: 0 };
  const stream = (name: 'stdout' | 'stderr'): Writable =>
    new Writable({
      write(chunk: Buffer, _, done) {
        printed[name] += chunk.toString();
        done();
      },
    });
  const io: Io = {
    stdin: Readable.from([]),
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    environment: {},
    workingFolder: process.cwd(),
    canAnswer: false,
    signal: new AbortController().signal,
    statusLine: null,
    columns: 120,
    errorColumns: options.columns ?? 120,
    colour: false,
    setExitCode: (code) => (printed.exitCode = code),
    ...options,
  };
  return { io, printed: () => ({ ...printed }) };
}

/** Runs one command line in this process. */
export async function runCommandLine(args: readonly string[], options: Partial<Io> = {}): Promise<Printed> {
  const { io, printed } = fakeIo(options);
  await main(args, io);
  return printed();
}
