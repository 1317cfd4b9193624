import path from 'node:path';
import { readTextWhole } from '../../../files/read.ts';
import type { OutputFiles, Printed } from '../../../process/output-files.ts';
import { shortenOutput } from '../../../process/shorten-output.ts';
import { isAbort } from './parse-output.ts';
import { ownProgressIn } from './parse-progress.ts';

/** From this rate on, about a thousand short lines, printing takes time that the load could use. */
const noisyBytesPerSecond = 64 * 1024;

/** The files in a trial's folder for what pgbench prints. @param name `pgbench` for that of the trial itself */
export function outputFilesIn(folder: string, name: string): OutputFiles {
  return { stdout: path.join(folder, `${name}.stdout.log`), stderr: path.join(folder, `${name}.stderr.log`) };
}

/** Shortens the files of a noisy load, but keeps what says how the run went. */
export async function shortenOutputs({ stdout, stderr }: OutputFiles): Promise<void> {
  await shortenOutput(stdout, ofTheRun);
  await shortenOutput(stderr, ofTheRun);
}

/** What the files hold, after they were shortened. */
export function readOutputs(files: OutputFiles): { stdout: string; stderr: string } {
  return { stdout: readTextWhole(files.stdout), stderr: readTextWhole(files.stderr) };
}

/** The warning about a load that prints much. */
export function noiseWarnings(bytesPerSecond: number): string[] {
  if (bytesPerSecond < noisyBytesPerSecond) return [];
  const shown = `${Math.round(bytesPerSecond / 1024).toLocaleString('en')} KiB`;
  return [
    `The load printed ${shown} a second (pgbench.stdout.log, pgbench.stderr.log), which takes up its clients’ time: remove what prints, such as RAISE or \\shell, or raise client_min_messages.`,
  ];
}

/** The warning about a load that destroys what pgbench prints. */
export function emptiedWarnings({ stdout, stderr }: Printed['emptied']): string[] {
  const files = [...(stdout > 0 ? ['pgbench.stdout.log'] : []), ...(stderr > 0 ? ['pgbench.stderr.log'] : [])];
  if (files.length === 0) return [];
  return [
    `The load emptied ${files.join(' and ')} while it ran, and what pgbench had printed there is lost: let \\shell and \\setshell write with >> instead of >, or to another file.`,
  ];
}

/** The part of a line that says how the run went; null if there is none. */
function ofTheRun(line: string): string | null {
  return ownProgressIn(line) ?? (isAbort(line) ? line : null);
}
