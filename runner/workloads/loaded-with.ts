import path from 'node:path';
import { unreadable } from '../contract/errors.ts';
import type { Workload } from '../contract/experiment/schema.ts';
import { atOnce, type InParts, partByPart } from '../files/in-parts.ts';
import { hashing } from '../files/sums.ts';
import type { FullTool } from './registry.ts';

/** SHA-256 of files, by their paths as the experiment has them. */
export type FileHashes = Readonly<Record<string, string>>;

/**
 * SHA-256 of each of these files. Reading them blocks everything else.
 *
 * @param folder that their paths are relative to
 * @throws {UserError} if one cannot be read
 */
export function hashFiles(files: readonly string[], folder: string): Record<string, string> {
  return atOnce(hashingFiles(files, folder));
}

/**
 * The same for files of any size, such as dumps.
 *
 * @param signal ends it, with its reason
 */
export function hashLargeFiles(
  files: readonly string[],
  folder: string,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  return partByPart(hashingFiles(files, folder), signal);
}

/** The same in parts. */
export function* hashingFiles(files: readonly string[], folder: string): InParts<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const name of files) {
    const file = path.resolve(folder, name);
    try {
      hashes[name] = yield* hashing(file);
    } catch (error) {
      throw unreadable(file, error);
    }
  }
  return hashes;
}

/**
 * Everything that the loaded data depends on: what the tool declares, and the contents of the files that it loads from.
 * A new dump under the same name is another load.
 */
export function loadedWith(
  tool: Pick<FullTool, 'loadFiles' | 'loadedBy'>,
  workload: Workload,
  hashes: FileHashes,
): unknown {
  const files = tool.loadFiles(workload);
  const loadedBy = tool.loadedBy(workload);
  if (files.length === 0) return loadedBy;
  return { load: loadedBy, sha256: Object.fromEntries(files.map((file) => [file, hashIn(hashes, file)])) };
}

function hashIn(hashes: FileHashes, file: string): string {
  const hash = hashes[file];
  if (hash === undefined) throw new Error(`no hash of ${file}, which the load needs`);
  return hash;
}
