import { spawn, type SpawnOptions } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { hasCode, PartError, UserError } from '../contract/errors.ts';
import { failureInOutput } from '../contract/printed.ts';
import type { FailureCode } from '../contract/failures.ts';
import { keepEnd, openOutputFiles, type OutputFiles, type Printed } from './output-files.ts';

export interface CommandResult {
  exitCode: number | null;
  /** What it printed; of a long output only its end. */
  stdout: string;
  stderr: string;
}

/** With `files`, also how it printed. */
export type CommandWithFilesResult = CommandResult & Printed;

export interface CommandOptions extends Pick<SpawnOptions, 'cwd' | 'uid' | 'gid'> {
  environment?: Record<string, string | undefined>;
  signal?: AbortSignal;
  /** Receives the id of the process when it has started. */
  onStart?: (pid: number) => void;
  /** Receives each line of stderr as it arrives. */
  onStderrLine?: (line: string) => void;
  /** Receives each line of stdout as it arrives. */
  onStdoutLine?: (line: string) => void;
  /** What it reads. It may end without reading all of it. @default nothing */
  input?: AsyncIterable<Uint8Array>;
  /** Gets the bytes that it prints to stdout, in place of the result. */
  output?: Writable;
  /**
   * Files that get what it prints, for a load that is measured or prints for a long time: no byte passes through us.
   * Lines are then read a few times a second, and of a flood only the last ones. Whatever such a program started ends
   * with it, because nothing may still run during the next trial.
   */
  files?: OutputFiles;
}

/** A program that did not succeed: it was not found, the signal ended it, or its exit code is not 0. */
export class CommandError extends PartError {
  override name = 'CommandError';
  readonly command: readonly string[];
  readonly result: CommandResult;

  constructor(command: readonly string[], result: CommandResult, failure: FailureCode = 'program-failed') {
    const why = result.stderr.trim().split('\n').slice(-5).join('\n');
    super(`${command[0] ?? ''} exited with ${result.exitCode ?? 'a signal'}${why ? `: ${why}` : ''}`, {
      failure: failureInOutput(result.stderr) ?? failure,
      printed: why,
    });
    this.command = command;
    this.result = result;
  }
}

/**
 * Runs a program to its end and returns what it printed, whatever its exit code. It runs in a process group of its own,
 * so that a Ctrl-C in the terminal reaches only us. When the signal aborts, the group gets SIGTERM, and SIGKILL three
 * seconds later. Even that does not end a process whose disk hangs; after two more seconds, we no longer wait for it.
 *
 * @throws the signal's reason if it aborted; the system's error if the program cannot be started
 */
export async function runCommand(
  command: readonly string[],
  options: CommandOptions & { files: OutputFiles },
): Promise<CommandWithFilesResult>;
export async function runCommand(command: readonly string[], options?: CommandOptions): Promise<CommandResult>;
export async function runCommand(command: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const [program = '', ...args] = command;
  options.signal?.throwIfAborted();
  const outputs = options.files && openOutputFiles(options.files, options);
  const child = spawn(program, args, {
    cwd: options.cwd,
    uid: options.uid,
    gid: options.gid,
    env: options.environment ?? process.env,
    detached: true,
    stdio: [options.input ? 'pipe' : 'ignore', outputs?.stdout ?? 'pipe', outputs?.stderr ?? 'pipe'],
  });
  if (child.pid !== undefined) options.onStart?.(child.pid);
  const hung = new AbortController();
  const stop = (): void => {
    endGroup(child.pid, 'SIGTERM');
    setTimeout(() => endGroup(child.pid, 'SIGKILL'), 3000).unref();
    setTimeout(() => hung.abort(), 5000).unref();
  };
  options.signal?.addEventListener('abort', stop, { once: true });
  try {
    const [exitCode, stdout, stderr] = await Promise.race([
      Promise.all([
        new Promise<number | null>((resolve, reject) => {
          child.once('error', reject);
          child.once('close', resolve);
        }),
        options.output ? pass(child.stdout, options.output) : collect(child.stdout, options.onStdoutLine),
        collect(child.stderr, options.onStderrLine),
        pass(options.input, child.stdin),
      ]),
      new Promise<never>((_, reject) => {
        hung.signal.addEventListener('abort', () => {
          // Otherwise we could not exit before it does.
          for (const part of [child.stdin, child.stdout, child.stderr]) part?.destroy();
          child.unref();
          reject(new PartError(`${program} still hangs after being killed`, 'program-failed'));
        });
      }),
    ]).catch((error: unknown) => {
      // If it was interrupted, that is the cause.
      options.signal?.throwIfAborted();
      throw error;
    });
    // It may still write to the files.
    if (outputs) endGroup(child.pid, 'SIGKILL');
    const printed = outputs?.end() ?? { stdout, stderr };
    options.signal?.throwIfAborted();
    return { exitCode, ...printed };
  } finally {
    options.signal?.removeEventListener('abort', stop);
    outputs?.close();
  }
}

/**
 * Runs a program as `runCommand` does.
 *
 * @throws {CommandError} if the exit code is not 0
 */
export async function runChecked(command: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  return requireSuccess(command, await runCommand(command, options));
}

/** @throws {CommandError} if the exit code is not 0 */
export function requireSuccess<R extends CommandResult>(command: readonly string[], result: R): R {
  if (result.exitCode !== 0) throw new CommandError(command, result);
  return result;
}

/** Far longer than any program takes to report its version. */
const answerSeconds = 10;

/**
 * Asks a program for something that it answers at once, such as its version, and returns what it printed, whatever its
 * exit code.
 *
 * @throws {UserError} if it does not answer in ten seconds; the signal's reason if it aborted; the system's error if
 *   the program cannot be started
 */
export async function askProgram(
  command: readonly string[],
  { signal, ...options }: Pick<CommandOptions, 'environment'> & { signal: AbortSignal },
): Promise<CommandResult> {
  const overdue = AbortSignal.timeout(answerSeconds * 1000);
  try {
    return await runCommand(command, { ...options, signal: AbortSignal.any([signal, overdue]) });
  } catch (error) {
    if (!overdue.aborted || signal.aborted) throw error;
    throw new UserError(`${command.join(' ')} did not answer within ${answerSeconds} s. Run it manually to see why.`);
  }
}

/** Most that is kept of a pipe: more than any program that we run has to say. */
const maxPiped = 8 * 1024 ** 2;

async function collect(stream: NodeJS.ReadableStream | null, onLine?: (line: string) => void): Promise<string> {
  if (!stream) return '';
  const kept = keepEnd(maxPiped, onLine);
  stream.setEncoding('utf8');
  for await (const chunk of stream) kept.take(chunk as string);
  return kept.text();
}

/** Passes bytes on until there are no more, or until their reader is gone: whoever reads says why. */
async function pass(from: Readable | AsyncIterable<Uint8Array> | null | undefined, to: Writable | null): Promise<''> {
  if (!from || !to) return '';
  try {
    await pipeline(from, to);
  } catch (error) {
    if (!readerIsGone.some((code) => hasCode(error, code))) throw error;
  }
  return '';
}

const readerIsGone = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'];

/** Sends a signal to a process group. It is not an error if the group is already gone. */
export function endGroup(groupId: number | undefined, signal: NodeJS.Signals): void {
  if (groupId === undefined) return;
  try {
    process.kill(-groupId, signal);
  } catch {
    // The group ended by itself in the meantime.
  }
}
