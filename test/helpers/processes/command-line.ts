import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { compiled, project } from '../../../lib/build-options.ts';

/** Compiled from the sources before the tests begin. */
export const launcher = path.join(project, compiled, 'pgduet.mjs');

export interface CommandLine {
  process: ChildProcess;
  /** Resolves when stderr has shown the text this many times; rejects if the command ends before that. */
  shown(text: string, times?: number): Promise<void>;
  ended: Promise<Ended>;
}

export interface Ended {
  exitCode: number | null;
  stdout: string;
  stderr: string;
  /** What it printed to stderr, without the breaks of lines. */
  text: string;
}

/**
 * The real command line in a process of its own, with a temporary directory of its own, so that tests can see what it
 * leaves.
 */
export function commandLine(
  args: readonly string[],
  options: {
    cwd: string;
    temporary: string;
    program?: string;
    uid?: number;
    gid?: number;
    environment?: Record<string, string>;
    /** A command that runs the command line. Its standard input is a pipe. */
    inside?: readonly string[];
  },
): CommandLine {
  const [program = '', ...rest] = [...(options.inside ?? []), process.execPath, options.program ?? launcher, ...args];
  const child = spawn(program, rest, {
    cwd: options.cwd,
    uid: options.uid,
    gid: options.gid,
    env: {
      PATH: process.env['PATH'],
      HOME: options.temporary,
      TMPDIR: options.temporary,
      NO_COLOR: '1',
      ...options.environment,
    },
    stdio: [options.inside ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  if (!child.stdout || !child.stderr) throw new Error('no pipes');
  let stdout = '';
  let stderr = '';
  const watchers: (() => void)[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    for (const watch of watchers) watch();
  });
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (exitCode) => resolve({ exitCode, stdout, stderr, text: stderr.replace(/\s+/g, ' ') }));
  });
  return {
    process: child,
    ended,
    shown: (text, times = 1) =>
      new Promise((resolve, reject) => {
        const watch = (): void => {
          if (stderr.split(text).length > times) resolve();
        };
        watchers.push(watch);
        watch();
        void ended.then(() => reject(new Error(`ended before it showed "${text}":\n${stderr}`)));
      }),
  };
}

/** Processes whose command line or working folder is below a folder. */
export function processesBelow(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        const isBelow = [args, readlinkSync(`/proc/${pid}/cwd`)].some((text) => text.includes(`${folder}/`));
        return isBelow ? [args] : [];
      } catch {
        return [];
      }
    });
}
