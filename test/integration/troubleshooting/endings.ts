import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import path from 'node:path';
import { Command } from 'commander';
import { vi } from 'vitest';
import { runCommandLine } from '../../helpers/fakes/fake-io.ts';
import type { CommandLine } from '../../helpers/processes/command-line.ts';

/** How a command ended, and what it said. */
export interface Ending {
  text: string;
  exitCode: number | null;
}

/** Makes an error happen. */
export type Provocation = () => Promise<Ending>;

/** Provocations by the message, as docs/troubleshooting.md shows it. */
export type Provocations = Record<string, Provocation>;

export const project = path.resolve(import.meta.dirname, '../../..');

/** Runs the command line in this process, on a terminal so wide that no message is broken. */
export async function command(args: readonly string[], workingFolder = project): Promise<Ending> {
  const { stderr, exitCode } = await runCommandLine(args, { workingFolder, columns: 10_000 });
  return { text: stderr, exitCode };
}

/** Does something as an action of the command line, which makes a message and an exit code of what it throws. */
export async function asCommand(action: () => unknown): Promise<Ending> {
  const add = vi.spyOn(Command.prototype, 'parseAsync').mockImplementationOnce(async () => {
    await action();
    throw new Error('nothing was thrown');
  });
  try {
    return await command(['clean']);
  } finally {
    add.mockRestore();
  }
}

/** Runs a program of this project, such as the app that `cdk` starts. */
export async function program(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ending> {
  const child = spawn(process.execPath, args, {
    cwd: project,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [printed, [exitCode]] = await Promise.all([
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { text: printed, exitCode };
}

/** The end of a command line in a process of its own, without the breaks of lines. */
export async function endOf({ ended }: CommandLine): Promise<Ending> {
  const { text, exitCode } = await ended;
  return { text, exitCode };
}
