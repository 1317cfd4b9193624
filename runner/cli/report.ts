import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../experiment/user-error.ts';
import { writeReport } from '../report/write-report.ts';
import type { Result } from '../results/result.ts';
import type { RegisterCommand } from './io.ts';

/** `report DIR`: makes the reports of a result anew, such as after an update of pgduet. */
export const registerReport: RegisterCommand = (program, io) => {
  program
    .command('report')
    .description('make report.html and report.md from the result.json of a folder')
    .argument('<dir>', 'folder that holds result.json, such as results/quick/latest')
    .option('--json', 'print the paths as JSON')
    .action(async (folder: string, { json }: { json?: true }) => {
      const result = await readResult(path.resolve(io.workingFolder, folder), folder);
      const files = await writeReport(path.resolve(io.workingFolder, folder), result);
      io.stdout.write(json === true ? `${JSON.stringify(files)}\n` : `${files.html}\n${files.markdown}\n`);
    });
};

async function readResult(folder: string, shownFolder: string): Promise<Result> {
  const shown = path.join(shownFolder, 'result.json');
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path.join(folder, 'result.json'), 'utf8'));
  } catch (error) {
    throw new UserError(
      error instanceof SyntaxError
        ? `${shown} is not JSON: ${error.message}. Name the folder of a run of pgduet.`
        : `${shown} cannot be read. Name a folder that holds result.json, such as results/quick/latest.`,
      { cause: error },
    );
  }
  if (!isResult(value)) throw new UserError(`${shown} is not a result of pgduet. Name the folder of a run of pgduet.`);
  return value;
}

function isResult(value: unknown): value is Result {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'pgduet-result';
}
