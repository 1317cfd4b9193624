import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { S3Client } from '@aws-sdk/client-s3';
import { nearest } from '../experiment/file/nearest.ts';
import { UserError } from '../contract/errors.ts';
import { readResult } from './read-result.ts';
import type { Result } from '../contract/result.ts';
import type { Run } from '../contract/tool-output.ts';
import { parseOutput } from '../workloads/pgbench/output/parse-output.ts';
import { type OpenS3, openS3 } from './open-s3.ts';

/** What one argument of `pgduet compare` names. */
export type ComparedSource = ResultSource | OutputsSource;

export interface ResultSource {
  kind: 'result';
  /** As the user typed it, without the variant. */
  name: string;
  /** The same for the same result, by whatever name. */
  location: string;
  result: Result;
  /** null where the user named none. */
  variant: string | null;
}

export interface OutputsSource {
  kind: 'outputs';
  /** File names as typed; a file may hold several runs. */
  files: string[];
  runs: Run[];
}

/**
 * Reads `FOLDER`, `FOLDER#VARIANT`, the same of an s3:// address, or `FILE,FILE...`.
 *
 * @throws {UserError} for what does not exist or is no measurement
 */
export async function readSource(text: string, workingFolder: string, s3: OpenS3 = openS3): Promise<ComparedSource> {
  if (text.startsWith('s3://')) return readAddress(text, await s3());
  const exists = (name: string): boolean => existsSync(path.resolve(workingFolder, name));
  const hash = text.lastIndexOf('#');
  const [name, variant] = hash > 0 && !exists(text) ? [text.slice(0, hash), text.slice(hash + 1)] : [text, null];
  const location = path.resolve(workingFolder, name);
  if (existsSync(location) && statSync(location).isDirectory()) return readFolder(name, location, variant);
  if (path.basename(location) === 'result.json') return readFolder(name, path.dirname(location), variant);
  return readOutputs(exists(text) ? [text] : text.split(',').filter((file) => file !== ''), workingFolder);
}

async function readFolder(name: string, folder: string, variant: string | null): Promise<ResultSource> {
  return resultSource({ name, location: realpathSync(folder), result: await readResult(folder), variant });
}

async function readAddress(text: string, s3: S3Client): Promise<ResultSource> {
  const [name = '', variant = null] = text.split('#');
  const { readBucketResult } = await import('./bucket-result.ts');
  return resultSource({ name, variant, ...(await readBucketResult(s3, name)) });
}

function resultSource(source: Omit<ResultSource, 'kind'>): ResultSource {
  const { name, result, variant } = source;
  const known = result.variants.map((one) => one.name);
  if (variant !== null && !known.includes(variant)) {
    const hint = nearest(variant, known, (word) => ` Did you mean ${word}?`);
    throw new UserError(`${name} has no variant ${variant}.${hint} It has ${known.join(', ')}.`);
  }
  return { kind: 'result', ...source };
}

function readOutputs(files: string[], workingFolder: string): OutputsSource {
  const runs = files.flatMap((file) => parseOutput(readText(file, workingFolder), file).map((run) => ({ file, run })));
  for (const { file, run } of runs) {
    if (run.complete) continue;
    throw new UserError(
      `${file} holds a run that is no measurement: ${run.problems.join('; ') || 'it did not end'}. Leave it out, or measure again.`,
    );
  }
  return { kind: 'outputs', files, runs: runs.map(({ run }) => run) };
}

function readText(file: string, workingFolder: string): string {
  const location = path.resolve(workingFolder, file);
  if (!existsSync(location)) {
    throw new UserError(
      `${file} does not exist. Name a folder that holds result.json, such as results/quick/latest, or files with outputs of pgbench.`,
    );
  }
  if (statSync(location).isDirectory()) {
    throw new UserError(`${file} is a folder: only outputs of pgbench can be listed with commas.`);
  }
  return readFileSync(location, 'utf8');
}
