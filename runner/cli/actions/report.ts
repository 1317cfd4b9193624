import path from 'node:path';
import { openAddress, openFolder, type OpenedResult, type OpenOptions } from '../../analysis/open-result.ts';
import { UserError } from '../../contract/errors.ts';
import { writeReport } from '../../report/write-report.ts';
import { isFolder } from '../../files/look.ts';
import { knowFolder, type KnownFolder } from '../../files/open-folder.ts';
import { copyRun } from '../../storage/results-folder.ts';
import { openS3 } from '../../storage/bucket-run.ts';
import { controlsOf } from '../../experiment/groups.ts';
import { type FailOnOptions, failOnUnwanted } from '../options.ts';
import type { Io } from '../io.ts';

export interface ReportOptions extends FailOnOptions {
  json?: true;
  unverified?: true;
}

export async function report(source: string, options: ReportOptions, io: Io): Promise<void> {
  const how = { unverified: options.unverified ?? false, signal: io.signal };
  const { known, result, series } = source.startsWith('s3://')
    ? await fetchRun(source, how, io)
    : await openHere(path.resolve(io.workingFolder, source), how);
  const files = await writeReport(known, result, series);
  io.stdout.write(options.json === true ? `${JSON.stringify(files)}\n` : `${Object.values(files).join('\n')}\n`);
  failOnUnwanted(result.comparisons, controlsOf(result.experiment.definition), options, io);
}

interface ResultHere extends OpenedResult {
  /** Its folder, as it was before the result was read. */
  known: KnownFolder;
}

async function openHere(folder: string, how: OpenOptions): Promise<ResultHere> {
  // If there is no such folder, `openFolder` says what is wrong.
  const known = isFolder(folder) ? knowFolder(folder) : null;
  const opened = await openFolder(folder, how);
  if (!known) throw new UserError(`${folder} appeared while its report was being made. Run report again.`);
  return { ...opened, known };
}

/** Copies a run from S3 to the folder that a local run would have. */
async function fetchRun(address: string, how: OpenOptions, io: Io): Promise<ResultHere> {
  const { result, series, location } = await openAddress(await openS3(io.signal), address, how);
  const folder = path.join(io.workingFolder, 'results', result.experiment.name, path.posix.basename(location));
  await copyRun(result, series, folder);
  return openHere(folder, how);
}
