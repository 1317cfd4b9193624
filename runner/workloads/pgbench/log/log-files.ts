import { createReadStream, createWriteStream, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** Folder in that of a trial. */
export const transactionLogFolder = 'transactions';

/** The log of each thread of one run, in a folder that holds nothing else. */
export function findLogs(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith('pgbench_log.'))
    .sort()
    .map((name) => path.join(folder, name));
}

/** Replaces each log by its gzipped self, to about a fifth of the size. */
export async function compressLogs(logs: readonly string[]): Promise<void> {
  for (const log of logs) {
    await pipeline(createReadStream(log), createGzip({ level: 1 }), createWriteStream(`${log}.gz`));
    rmSync(log);
  }
}
