import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { UserError } from '../../contract/errors.ts';
import { renderRuns } from '../../report/terminal/runs-table.ts';
import { readOutput } from '../../workloads/read-output.ts';
import type { Io } from '../io.ts';

export async function parse(files: readonly string[], options: { json?: true }, io: Io): Promise<void> {
  const runs = [];
  for (const file of files) {
    for (const run of await readOutput(await readText(file, io), file)) runs.push({ file, run });
  }
  const json = runs.map(({ run }) => run);
  io.stdout.write(`${options.json ? JSON.stringify(json, null, 2) : renderRuns(runs, io)}\n`);
}

/** @throws {UserError} if the file cannot be read */
async function readText(file: string, { stdin, workingFolder }: Io): Promise<string> {
  try {
    return file === '-' ? await text(stdin) : await readFile(path.resolve(workingFolder, file), 'utf8');
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
