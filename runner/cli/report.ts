import path from 'node:path';
import { writeReport } from '../report/write-report.ts';
import { readResult } from '../results/read-result.ts';
import type { RegisterCommand } from './io.ts';

/** `report DIR`: makes the reports of a result anew, such as after an update of pgduet. */
export const registerReport: RegisterCommand = (program, io) => {
  program
    .command('report')
    .description('make report.html and report.md from the result.json of a folder')
    .argument('<dir>', 'folder that holds result.json, such as results/quick/latest')
    .option('--json', 'print the paths as JSON')
    .action(async (folder: string, { json }: { json?: true }) => {
      const result = await readResult(path.resolve(io.workingFolder, folder));
      const files = await writeReport(path.resolve(io.workingFolder, folder), result);
      io.stdout.write(json === true ? `${JSON.stringify(files)}\n` : `${files.html}\n${files.markdown}\n`);
    });
};
