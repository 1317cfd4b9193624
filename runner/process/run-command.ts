import { spawn, type SpawnOptions } from 'node:child_process';

export interface CommandResult {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

export interface CommandOptions extends Pick<SpawnOptions, 'cwd' | 'uid' | 'gid'> {
  environment?: Record<string, string | undefined>;
  signal?: AbortSignal;
  /** Each line of stderr as it comes. */
  onStderrLine?: (line: string) => void;
  /** Each line of stdout as it comes. */
  onStdoutLine?: (line: string) => void;
}

/** A program that could not be carried out: not found, ended by the signal, or with another exit code than 0. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly command: readonly string[];
  readonly result: CommandResult;

  constructor(command: readonly string[], result: CommandResult) {
    const why = result.stderr.trim().split('\n').slice(-5).join('\n');
    super(`${command[0] ?? ''} ended with ${result.exitCode ?? 'a signal'}${why ? `: ${why}` : ''}`);
    this.command = command;
    this.result = result;
  }
}

/**
 * Runs a program to its end and gives what it printed, whatever its exit code. It runs in a process group of its own, so
 * that a Ctrl-C in the terminal reaches us alone; when the signal aborts, the group is ended: SIGTERM, and SIGKILL after
 * three seconds.
 *
 * @throws the signal's reason where it aborted; the system's error where the program cannot be started.
 */
export async function runCommand(command: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const [program = '', ...args] = command;
  options.signal?.throwIfAborted();
  const child = spawn(program, args, {
    cwd: options.cwd,
    uid: options.uid,
    gid: options.gid,
    env: options.environment ?? process.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = (): void => {
    endGroup(child.pid, 'SIGTERM');
    setTimeout(() => endGroup(child.pid, 'SIGKILL'), 3000).unref();
  };
  options.signal?.addEventListener('abort', stop, { once: true });
  try {
    const [exitCode, stdout, stderr] = await Promise.all([
      new Promise<number | null>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', resolve);
      }),
      collect(child.stdout, options.onStdoutLine),
      collect(child.stderr, options.onStderrLine),
    ]);
    options.signal?.throwIfAborted();
    return { exitCode, stdout, stderr };
  } finally {
    options.signal?.removeEventListener('abort', stop);
  }
}

/** @throws {CommandError} for any exit code but 0. */
export async function demandCommand(command: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const result = await runCommand(command, options);
  if (result.exitCode !== 0) throw new CommandError(command, result);
  return result;
}

async function collect(stream: NodeJS.ReadableStream, onLine?: (line: string) => void): Promise<string> {
  stream.setEncoding('utf8');
  let text = '';
  let lineStart = 0;
  for await (const chunk of stream) {
    text += chunk as string;
    if (!onLine) continue;
    // pgbench ends a progress line that it will overwrite with a carriage return.
    for (let end = nextLineEnd(text, lineStart); end >= 0; end = nextLineEnd(text, lineStart)) {
      if (end > lineStart) onLine(text.slice(lineStart, end));
      lineStart = end + 1;
    }
  }
  return text;
}

function nextLineEnd(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  const carriage = text.indexOf('\r', from);
  return newline < 0 ? carriage : carriage < 0 ? newline : Math.min(newline, carriage);
}

/** Ends a process group; one that is gone already is no error. */
export function endGroup(groupId: number | undefined, signal: NodeJS.Signals): void {
  if (groupId === undefined) return;
  try {
    process.kill(-groupId, signal);
  } catch {
    // It ended by itself in the meantime.
  }
}
