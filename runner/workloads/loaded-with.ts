import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import type { Workload } from '../contract/experiment/schema.ts';
import type { Tool } from './tool.ts';

/** SHA-256 of files, by their paths as the experiment has them. */
export type FileHashes = Readonly<Record<string, string>>;

/**
 * SHA-256 of each of these files.
 *
 * @param folder that their paths are relative to
 * @throws {UserError} if one cannot be read
 */
export function hashFiles(files: readonly string[], folder: string): Record<string, string> {
  return Object.fromEntries(files.map((file) => [file, hashOf(path.resolve(folder, file))]));
}

/**
 * Everything that the loaded data depends on: what the tool says, and what is in the files that it loads from. A dump that
 * was made anew under the same name is another load.
 */
export function loadedWith(tool: Tool, workload: Workload, hashes: FileHashes): unknown {
  const files = tool.loadFiles?.(workload) ?? [];
  const loadedBy = tool.loadedBy(workload);
  if (files.length === 0) return loadedBy;
  return { load: loadedBy, sha256: Object.fromEntries(files.map((file) => [file, hashIn(hashes, file)])) };
}

function hashIn(hashes: FileHashes, file: string): string {
  const hash = hashes[file];
  if (hash === undefined) throw new Error(`no hash of ${file}, which the load needs`);
  return hash;
}

/** Part by part: a dump may be larger than the memory. */
function hashOf(file: string): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const hash = createHash('sha256');
    const part = Buffer.allocUnsafe(2 ** 20);
    for (let count = 1; count > 0;) {
      count = readSync(descriptor, part, 0, part.length, null);
      hash.update(part.subarray(0, count));
    }
    return hash.digest('hex');
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
