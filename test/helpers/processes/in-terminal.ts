import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { launcher } from './command-line.ts';

/** One command line of ours, in a terminal of its own. */
export interface TerminalCommand {
  words: readonly string[];
  /** Width that the terminal tells, which may be 0; null for pipes instead of a terminal. */
  columns: number | null;
  /** What somebody types at the terminal once it shows a text; by default, nobody is there. */
  answer?: { to: string; typed: string };
  /** COLUMNS in its environment; by default there is none. */
  COLUMNS?: string;
}

export interface Shown {
  /** What was on the screen, without colours: standard output and standard error in the order in which they came. */
  lines: string[];
  coloured: boolean;
  exitCode: number;
}

/** What a command says of the disk must not depend on the moment. */
const preload = pathToFileURL(path.join(import.meta.dirname, 'steady-disk.mjs')).href;

/** Runs all commands in real pseudo-terminals, several at the same time. They find disks with the same room at any time. */
export async function inTerminals(commands: readonly TerminalCommand[], folder: string): Promise<Shown[]> {
  const python = spawn('python3', [path.join(import.meta.dirname, 'in-terminal.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = new Promise<number | null>((resolve, reject) => python.once('close', resolve).once('error', reject));
  const requests = commands.map(({ words, columns, answer = null, COLUMNS }) => ({
    args: [process.execPath, launcher, ...words],
    columns,
    folder,
    answer,
    environment: {
      PATH: process.env['PATH'],
      HOME: folder,
      TMPDIR: folder,
      TERM: 'xterm',
      NODE_OPTIONS: `--import=${preload}`,
      ...(COLUMNS === undefined ? {} : { COLUMNS }),
    },
  }));
  python.stdin.end(JSON.stringify(requests));
  const answer = await text(python.stdout);
  if ((await exited) !== 0) throw new Error(`in-terminal.py ended with ${python.exitCode ?? 'a signal'}`);
  return (JSON.parse(answer) as { output: string; exitCode: number }[]).map(({ output, exitCode }) => {
    const plain = stripVTControlCharacters(output);
    return { lines: plain.replace(/\n$/, '').split('\n'), coloured: plain !== output, exitCode };
  });
}
