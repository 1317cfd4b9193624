import path from 'node:path';
import { openAddress, openFolder, type OpenedResult, type OpenOptions } from '../../analysis/open-result.ts';
import { writeReport } from '../../report/write-report.ts';
import { copyRun } from '../../storage/copy-run.ts';
import { openS3 } from '../../storage/open-s3.ts';
import { controlsOf } from '../../experiment/controls.ts';
import { type FailOnOptions, failOnUnwanted } from '../fail-on.ts';
import type { Io } from '../io.ts';

export interface ReportOptions extends FailOnOptions {
  json?: true;
  unverified?: true;
}

export async function report(source: string, options: ReportOptions, io: Io): Promise<void> {
  const how = { unverified: options.unverified ?? false, signal: io.signal };
  const { folder, result, series } = source.startsWith('s3://')
    ? await fetchRun(source, how, io)
    : await openHere(path.resolve(io.workingFolder, source), how);
  const files = await writeReport(folder, result, series);
  io.stdout.write(options.json === true ? `${JSON.stringify(files)}\n` : `${Object.values(files).join('\n')}\n`);
  failOnUnwanted(result.comparisons, controlsOf(result.experiment.definition), options, io);
}

async function openHere(folder: string, how: OpenOptions): Promise<OpenedResult & { folder: string }> {
  return { folder, ...(await openFolder(folder, how)) };
}

/** Copies a run from S3 to the folder that a local run would have. */
async function fetchRun(address: string, how: OpenOptions, io: Io): Promise<OpenedResult & { folder: string }> {
  const { result, series, location } = await openAddress(await openS3(io.signal), address, how);
  const folder = path.join(io.workingFolder, 'results', result.experiment.name, path.posix.basename(location));
  await copyRun(result, series, folder);
  return openHere(folder, how);
}
