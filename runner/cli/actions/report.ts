import path from 'node:path';
import { openAddress, openFolder, type OpenedResult, type OpenOptions } from '../../analysis/open-result.ts';
import { renderTerminal } from '../../report/terminal/terminal.ts';
import { writeReport } from '../../report/write-report.ts';
import { knowFolder, type KnownFolder } from '../../files/open-folder.ts';
import { namedRunFolder } from '../../storage/run-folder.ts';
import { copyRun } from '../../storage/results-folder.ts';
import { openBuckets } from '../../rds/bucket/bucket-run.ts';
import { controlsOf } from '../../experiment/groups.ts';
import { type FailOnOptions, failOnUnwanted } from '../options.ts';
import { type Io, say } from '../io.ts';
import { noteOrigin } from './foreign-words.ts';
import { nameOfRun } from './present-result.ts';
import { wordsOf } from '../../contract/errors.ts';
import type { Declare } from '../verb.ts';
import { describeArguments, failOnOption, unverifiedOption } from '../options.ts';
import { isRemote } from '../../storage/run-store.ts';

export interface ReportOptions extends FailOnOptions {
  open?: true;
  terminal?: true;
  json?: true;
  unverified?: true;
}

export async function report(source: string, options: ReportOptions, io: Io): Promise<void> {
  const how = { unverified: options.unverified ?? false, signal: io.signal };
  const { known, result, series } = isRemote(source)
    ? await fetchRun(source, how, io)
    : await openHere(path.resolve(io.workingFolder, source), how);
  noteOrigin(known.path, io);
  const files = await writeReport(known, result, series, nameOfRun(known.path, io.workingFolder));
  if (options.json) io.stdout.write(`${JSON.stringify(files)}\n`);
  else
    io.stdout.write(
      options.terminal
        ? renderTerminal(result, io)
        : `${[files.html, files.markdown, files.json, files.csv].join('\n')}\n`,
    );
  if (options.open) await openPage(files.html, io);
  failOnUnwanted(result.comparisons, controlsOf(result.experiment.definition), options, io);
}

/** Opens the page in the browser of this desktop. It is never opened by a shell. If there is none, says where it is. */
async function openPage(page: string, io: Io): Promise<void> {
  const { DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME } = io.environment;
  const hasDesktop = process.platform !== 'linux' || [DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME].some(Boolean);
  const why = hasDesktop ? await openInBrowser(page) : 'this machine has no display';
  if (why === null) return;
  const text = `Could not open a browser (${why}). Open this page yourself, or copy it to a machine with a browser: ${page}`;
  say(text, io);
}

/** @returns why it could not be opened; null if it was */
async function openInBrowser(page: string): Promise<string | null> {
  try {
    const { default: open } = await import('open');
    await open(page);
    return null;
  } catch (error) {
    return wordsOf(error);
  }
}

interface ResultHere extends OpenedResult {
  /** Its folder, as it was before the result was read. */
  known: KnownFolder;
}

async function openHere(named: string, how: OpenOptions): Promise<ResultHere> {
  const folder = namedRunFolder(named);
  const known = knowFolder(folder);
  return { ...(await openFolder(folder, how)), known };
}

/** Copies a run from S3 to the folder that a local run would have. */
async function fetchRun(address: string, how: OpenOptions, io: Io): Promise<ResultHere> {
  const { result, series, location } = await openAddress(await openBuckets(io.signal), address, how);
  const folder = path.join(io.workingFolder, 'results', result.experiment.name, path.posix.basename(location));
  await copyRun(result, series, folder);
  return openHere(folder, how);
}

export const declare: Declare = (command, io) => {
  describeArguments(command, 'folder of a run, such as results/quick/latest, or an s3:// address');
  command
    .addOption(failOnOption())
    .addOption(unverifiedOption())
    .option('--open', 'open report.html in the browser')
    .option('--terminal', 'print the full report in the terminal')
    .option('--json', 'print the paths as JSON')
    .action((folder: string, options: ReportOptions) => report(folder, options, io));
};
