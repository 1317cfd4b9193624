import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { LatencyDigest, LoggedLoad } from '../../../contract/tool-output.ts';
import { move, removeFile } from '../../../files/change.ts';
import { namesIn } from '../../../files/look.ts';
import { readStream, writeStream } from '../../../files/stream.ts';
import { digestLogs } from './digest-log.ts';

/** Digests the logs that one run left in a folder, and compresses them. */
export async function readTransactionLogs(
  folder: string,
  options: LoggedLoad & { startedAt?: Date },
): Promise<LatencyDigest> {
  const logs = findLogs(folder);
  const digest = await digestLogs(logs, options);
  await compressLogs(logs);
  return digest;
}

/** The log of each thread of one run, in a folder that holds nothing else. */
export function findLogs(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => name.startsWith('pgbench_log.'))
    .map((name) => path.join(folder, name));
}

/** Replaces each log by a gzipped file of about a fifth of the size. What is cut off leaves the log, and no part of a file. */
async function compressLogs(logs: readonly string[]): Promise<void> {
  for (const log of logs) {
    // Nobody takes it for a log.
    const part = path.join(path.dirname(log), `.${path.basename(log)}.gz`);
    try {
      removeFile(part);
      await pipeline(readStream(log, { links: 'refused' }), createGzip({ level: 1 }), writeStream(part));
      move(part, `${log}.gz`);
    } catch (error) {
      removeFile(part);
      throw error;
    }
    removeFile(log);
  }
}
