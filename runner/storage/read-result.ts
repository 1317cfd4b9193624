import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import type { Result } from '../contract/result.ts';

/** The version of result.json that this pgduet writes, and the newest that it reads. */
export const resultSchemaVersion = 1;

/**
 * The result in a folder. Unknown fields are ignored.
 *
 * @throws {UserError} where there is none, it is no result, or a newer pgduet wrote it.
 */
export async function readResult(folder: string): Promise<Result> {
  const file = path.join(folder, 'result.json');
  return parseResult(await readText(file), file);
}

/** @throws {UserError} naming `source` where the text is no result that this pgduet can read. */
export function parseResult(text: string, source: string): Result {
  const value = parseJson(text, source);
  if (!isRecord(value) || value['kind'] !== 'pgduet-result') {
    throw new UserError(`${source} is not a result of pgduet. Name the folder of a run of pgduet.`);
  }
  const version = value['schemaVersion'];
  if (typeof version !== 'number' || version < 1) {
    throw new UserError(`${source} has the schemaVersion ${String(version)}, which no pgduet ever wrote.`);
  }
  if (version > resultSchemaVersion) {
    throw new UserError(
      `${source} has schemaVersion ${version}, written by pgduet ${String(value['toolVersion'])}; this one reads up to ${resultSchemaVersion}. Update pgduet.`,
    );
  }
  for (const list of ['variants', 'trials', 'comparisons', 'warnings']) {
    if (!Array.isArray(value[list])) throw new UserError(`${source} is damaged: it has no list of ${list}.`);
  }
  return value as unknown as Result;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UserError(`${file} cannot be read. Name a folder that holds result.json, such as results/quick/latest.`, {
      cause: error,
    });
  }
}

function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UserError(
      `${source} is not JSON (${error instanceof Error ? error.message : ''}). Name the folder of a run of pgduet.`,
      { cause: error },
    );
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
