import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { writeReport } from '../../report/write-report.ts';
import { readResult } from '../../storage/read-result.ts';
import type { RegisterCommand } from '../io.ts';
import { openS3 } from '../../storage/open-s3.ts';

/** `report DIR`: makes the reports of a result anew, such as after an update of pgduet. */
export const registerReport: RegisterCommand = (program, io) => {
  program
    .command('report')
    .description('make report.html and report.md from the result.json of a folder')
    .argument('<dir>', 'folder that holds result.json, such as results/quick/latest, or an s3:// address')
    .option('--json', 'print the paths as JSON')
    .action(async (folder: string, { json }: { json?: true }) => {
      const local = folder.startsWith('s3://')
        ? await fetchResult(folder, io.workingFolder)
        : path.resolve(io.workingFolder, folder);
      const files = await writeReport(local, await readResult(local));
      io.stdout.write(json === true ? `${JSON.stringify(files)}\n` : `${files.html}\n${files.markdown}\n`);
    });
};

/** Copies a result from S3 to where a local run would have left it. Returns the folder. */
async function fetchResult(address: string, workingFolder: string): Promise<string> {
  const { readBucketResult } = await import('../../storage/bucket-result.ts');
  const { result, location } = await readBucketResult(await openS3(), address);
  const folder = path.join(workingFolder, 'results', result.experiment.name, path.posix.basename(location));
  await mkdir(folder, { recursive: true });
  await writeFileAtomic(path.join(folder, 'result.json'), `${JSON.stringify(result, null, 2)}\n`);
  return folder;
}
