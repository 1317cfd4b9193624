import path from 'node:path';
import { exists, isFolder, realPath } from '../../files/look.ts';
import { readTextWhole } from '../../files/read.ts';
import { nearest } from '../../experiment/file/near-words.ts';
import { UserError } from '../../contract/errors.ts';
import type { Result } from '../../contract/result.ts';
import { variantNames } from '../../contract/server.ts';
import type { ToolRun } from '../../contract/tool-output.ts';
import { maxOutputBytes, readOutput } from '../../workloads/read-output.ts';
import type { ReadRemote } from '../../storage/remote-run.ts';
import { namedRunFolder } from '../../storage/run-folder.ts';
import { openAddress, openFolder, type OpenOptions } from '../open-result.ts';
import { isRemote } from '../../storage/run-store.ts';

/** What one argument of `pgduet compare` names. */
export type ComparedSource = ResultSource | OutputsSource;

export interface ResultSource {
  kind: 'result';
  /** As the user typed it, without the variant. */
  name: string;
  /** Identifies the result: it does not depend on the name that the user typed. */
  location: string;
  result: Result;
  /** Whether its run has no manifest. */
  isUnsealed: boolean;
  /** null if the user named none. */
  variant: string | null;
}

export interface OutputsSource {
  kind: 'outputs';
  /** File names as typed; a file may hold several runs. */
  files: string[];
  runs: ToolRun[];
}

interface SourceOptions extends OpenOptions {
  workingFolder: string;
  signal: AbortSignal;
  /** Called for an s3:// address. */
  openRemote: (signal: AbortSignal) => Promise<ReadRemote>;
}

/**
 * Reads `FOLDER` or `FOLDER#VARIANT`, where FOLDER may be an s3:// address, or `FILE,FILE...`.
 *
 * @throws {UserError} if it does not exist or is not a measurement
 */
export async function readSource(
  text: string,
  { workingFolder, openRemote, ...options }: SourceOptions,
): Promise<ComparedSource> {
  if (isRemote(text)) return readAddress(text, await openRemote(options.signal), options);
  const isThere = (name: string): boolean => exists(path.resolve(workingFolder, name));
  const hash = text.lastIndexOf('#');
  const [name, variant] = hash > 0 && !isThere(text) ? [text.slice(0, hash), text.slice(hash + 1)] : [text, null];
  const location = path.resolve(workingFolder, name);
  const isResult = isFolder(location) || path.basename(location) === 'result.json';
  if (isResult) return readFolder(name, namedRunFolder(location), variant, options);
  const files = isThere(text) ? [text] : text.split(',').filter((file) => file !== '');
  return readOutputs(files, workingFolder, options.signal);
}

async function readFolder(
  name: string,
  folder: string,
  variant: string | null,
  options: OpenOptions,
): Promise<ResultSource> {
  const { result, isUnsealed } = await openFolder(folder, options);
  return resultSource({ name, location: realPath(folder), result, isUnsealed, variant });
}

async function readAddress(text: string, readRemote: ReadRemote, options: OpenOptions): Promise<ResultSource> {
  const [name = '', variant = null] = text.split('#');
  const { result, isUnsealed, location } = await openAddress(readRemote, name, options);
  return resultSource({ name, variant, result, isUnsealed, location });
}

function resultSource(source: Omit<ResultSource, 'kind'>): ResultSource {
  const { name, result, variant } = source;
  const known = variantNames(result.variants);
  if (variant !== null && !known.includes(variant)) {
    const hint = nearest(variant, known, (word) => ` Did you mean ${word}?`);
    throw new UserError(`${name} has no variant ${variant}.${hint} It has ${known.join(', ')}.`);
  }
  return { kind: 'result', ...source };
}

async function readOutputs(files: string[], workingFolder: string, signal: AbortSignal): Promise<OutputsSource> {
  const runs: { file: string; run: ToolRun }[] = [];
  for (const file of files) {
    for (const run of await readOutput(readText(file, workingFolder), file, signal)) runs.push({ file, run });
  }
  for (const { file, run } of runs) {
    if (run.complete) continue;
    throw new UserError(
      `${file} contains an incomplete run: ${run.problems.join('; ') || 'it did not end'}. Omit it, or rerun.`,
    );
  }
  return { kind: 'outputs', files, runs: runs.map(({ run }) => run) };
}

function readText(file: string, workingFolder: string): string {
  const location = path.resolve(workingFolder, file);
  if (!exists(location)) {
    throw new UserError(
      `${file} does not exist. Name a folder that holds result.json, such as results/quick/latest, or files with outputs of pgbench.`,
      { failure: 'file-error' },
    );
  }
  if (isFolder(location)) {
    throw new UserError(`${file} is a folder: only pgbench outputs can be listed with commas.`);
  }
  return readTextWhole(location, { max: maxOutputBytes });
}
