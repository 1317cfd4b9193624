import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { UserError } from '../../../contract/errors.ts';
import type { LatencyDigest, LoggedLoad } from '../../../contract/tool-output.ts';
import { aggregateLineExpected, AggregateLog, isAggregateLine } from './aggregate-log.ts';
import { type LogLine, readLogLines } from './log-lines.ts';
import { isTransactionLine, transactionLineExpected, TransactionLog } from './transaction-log.ts';
import { move, removeFile } from '../../../files/write.ts';
import { namesIn } from '../../../files/look.ts';
import { readStream, writeStream } from '../../../files/read.ts';

/** How many lines too many are still read, to say by how much a log disagrees with its run. */
const someLines = 10_000;

/**
 * Digests the logs that `pgbench -l` wrote during one run: one file for each thread, gzipped if the name ends in `.gz`.
 *
 * From logs of single transactions, percentiles are exact to the microsecond of the log. The numbers of transactions
 * show which are missing (a sample by --sampling-rate, a lost line) or repeated, except at the end of a file; then
 * `exact` is false, and `problems` says why. Logs with --aggregate-interval have only mean and maximum. pgbench does
 * not write the last interval of each thread, and counts failures only with --failures-detailed.
 *
 * If there are 7 columns, the last one is the lag (--rate) or the number of retries (--max-tries); the log does not say
 * which, so the caller says it with `hasLag`. Without `hasLag`, the column counts as the lag if there are skipped
 * transactions, which only --rate has, or values from 10,000 on. Otherwise it is left out, and `problems` says so.
 *
 * A transaction is late if it took longer than `latencyLimitMicros`.
 *
 * Series are by the seconds of the clock, as Unix time. With `startedAt`, those of single transactions are by the
 * seconds since then.
 *
 * `reported` is how many transactions the run reports. A log of far more is refused without reading it all: a few gzipped
 * megabytes could take hours to read.
 *
 * The time is proportional to the number of lines. Memory is constant, except for 8 bytes for each transaction of more
 * than 4 s. Format of the lines: https://www.postgresql.org/docs/current/pgbench.html, "Per-Transaction Logging",
 * "Aggregated Logging".
 *
 * @throws {UserError} with file and line if it is not such a log, and if there is no complete line at all
 */
export async function digestLogs(
  paths: readonly string[],
  {
    hasLag,
    latencyLimitMicros,
    samplingRate = 1,
    startedAt,
    reported,
    signal,
  }: Omit<LoggedLoad, 'scripts'> & { startedAt?: Date | undefined; reported?: number; signal?: AbortSignal } = {},
): Promise<LatencyDigest> {
  /** Lines and files that are not whole. */
  const losses: string[] = [];
  let log: TransactionLog | AggregateLog | undefined;
  const max = reported === undefined ? Infinity : 2 * reported + someLines;
  let linesBefore = 0;
  for (const path of paths) {
    let lines = 0;
    const rest = await readLogLines(
      path,
      (line) => {
        if (linesBefore + line.number > max) {
          throw new UserError(
            `${path} continues after line ${line.number - 1}, but its run reports ${reported} transactions. It is not the log of this run: restore that one.`,
          );
        }
        log ??= logOf(line, startedAt, latencyLimitMicros);
        if (!log.take(line)) throw unexpected(line, log.expected);
        lines = line.number;
      },
      signal,
    );
    linesBefore += lines;
    if (rest !== null) losses.push(`${path}: line ${lines + 1} is truncated and skipped: "${rest}"`);
    else if (lines === 0) losses.push(`${path} is empty`);
  }
  if (!log) {
    throw new UserError(
      `No transactions found: ${losses.join('; ') || 'no log was named'}. Pass the logs of pgbench -l.`,
    );
  }
  const isSample = samplingRate < 1;
  return log.digest(hasLag, losses, isSample);
}

function logOf(
  first: LogLine,
  startedAt: Date | undefined,
  latencyLimitMicros: number | undefined,
): TransactionLog | AggregateLog {
  if (isTransactionLine(first)) return new TransactionLog(first, startedAt, latencyLimitMicros);
  if (isAggregateLine(first)) return new AggregateLog(first);
  throw unexpected(first, `${transactionLineExpected}", or of aggregates "${aggregateLineExpected}`);
}

function unexpected(line: LogLine, expected: string): UserError {
  return new UserError(
    `${line.path}:${line.number} is "${line.text().slice(0, 200)}"; expected "${expected}", with the same number of fields in every line. Pass the logs of a single pgbench -l run.`,
  );
}

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

/**
 * Replaces each log by a gzipped file of about a fifth of the size. An interruption leaves the log, and no part of a
 * gzipped file.
 */
async function compressLogs(logs: readonly string[]): Promise<void> {
  for (const log of logs) {
    // No code takes this name for that of a log.
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
