import path from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { unreadable, UserError } from '../../contract/errors.ts';
import { readStream } from '../../files/read.ts';
import type { ToolRun } from '../../contract/tool-output.ts';
import { renderRuns } from '../../report/terminal/runs-table.ts';
import { maxOutputBytes, readOutput } from '../../workloads/read-output.ts';
import type { Io } from '../io.ts';
import type { Declare } from '../verb.ts';
import { describeArguments } from '../options.ts';

/**
 * Prints the runs of all files. A file that cannot be read keeps nobody from seeing those of the others.
 *
 * @throws {UserError} after it has printed, if a file holds no output or cannot be read
 */
export async function parse(files: readonly string[], options: { json?: true }, io: Io): Promise<void> {
  const runs: { file: string; run: ToolRun }[] = [];
  const refused: UserError[] = [];
  for (const file of files) {
    try {
      for (const run of await readOutput(await readText(file, io), file, io.signal)) runs.push({ file, run });
    } catch (error) {
      if (!(error instanceof UserError) || io.signal.aborted) throw error;
      refused.push(error);
    }
  }
  if (runs.length > 0) await print(runs, options, io);
  if (refused.length > 0) throw new UserError(refused.map(({ message }) => message).join('\n'), { cause: refused[0] });
  if (runs.some(({ run }) => !run.complete)) io.setExitCode(1);
}

async function print(runs: readonly { file: string; run: ToolRun }[], options: { json?: true }, io: Io): Promise<void> {
  const json = runs.map(({ file, run }) => ({ file, ...run }));
  for (const lines of options.json ? [JSON.stringify(json, null, 2)] : renderRuns(runs, io)) {
    io.stdout.write(`${lines}\n`);
    // Yields, so that a Ctrl-C is handled between two runs.
    await setImmediate();
    io.signal.throwIfAborted();
  }
}

/** @throws {UserError} if the file cannot be read, or is too large */
async function readText(file: string, { stdin, workingFolder, signal }: Io): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    const stream: Readable = file === '-' ? stdin : readStream(path.resolve(workingFolder, file));
    for await (const chunk of addAbortSignal(signal, stream)) {
      const buffer = Buffer.from(chunk as Buffer | string);
      chunks.push(buffer);
      bytes += buffer.length;
      if (bytes > maxOutputBytes) throw new UserError(tooLarge(file));
    }
  } catch (error) {
    signal.throwIfAborted();
    throw unreadable(file, error);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function tooLarge(file: string): string {
  return `${file} exceeds ${maxOutputBytes / 2 ** 20} MiB, too large for pgbench output. Pass an output file, or split it.`;
}

export const declare: Declare = (command, io) => {
  describeArguments(
    command,
    'outputs of pgbench, HammerDB or sysbench, each with one or more runs; "-" for standard input',
  );
  command
    .option('--json', 'print the runs as a JSON array')
    .addHelpText(
      'after',
      '\nExit code 1: a run was aborted or killed, or its output is incomplete or contradicts itself. Such a run has complete: false, and a list of its problems.\nExit code 2: a file is empty, holds no run, or comes from another tool.',
    )
    .action((files: string[], options: { json?: true }) => parse(files, options, io));
};
