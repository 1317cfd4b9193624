import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { compiled } from '../../lib/build-options.ts';

export interface Ended {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** A command that was started. */
export interface Command {
  child: ChildProcess;
  pid: number;
  stderr(): string;
  ended: Promise<Ended>;
  hasEnded(): boolean;
}

/** The command line that was compiled from a project's sources, with long waits made shorter. */
export function pgduet(project: string, args: readonly string[]): string[] {
  const preload = path.join(import.meta.dirname, 'shorter-waits.mjs');
  return [process.execPath, '--import', preload, path.join(project, compiled, 'pgduet.mjs'), ...args];
}

/** Starts a program in a folder, with the temporary folder `tmp` there, and with nothing of our own environment. */
export function start(
  [program = '', ...args]: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Command {
  const child = spawn(program, args, {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      NO_COLOR: '1',
      COLUMNS: '10000',
      TMPDIR: path.join(folder, 'tmp'),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    // Not "close": a process that is left behind may hold the streams open for ever.
    child.once('exit', (exitCode) => setTimeout(() => resolve({ exitCode, stdout, stderr }), 50));
  });
  return {
    child,
    pid: child.pid ?? 0,
    stderr: () => stderr,
    ended,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
  };
}
