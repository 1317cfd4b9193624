import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import type { Measures } from '../../contract/metric.ts';
import type { LoggedLoad } from '../../contract/tool-output.ts';
import { exists } from '../../files/look.ts';
import { digestLogs, findLogs } from './log/digest-log.ts';
import { measuresOfRun, scriptsApart } from './measures.ts';
import { outputFilesIn, readOutputs } from './output/output-files.ts';
import { readRun } from './output/parse-output.ts';
import type { PgbenchRun } from './schema.ts';
import { measuresInLog, measuresWithoutLog, transactionLogFolder } from './transaction-log.ts';

/** Transactions of all clients together that a trial asks for; null if a time ends it. */
export function requestedBy({ transactions, clients }: PgbenchRun): number | null {
  return transactions === undefined ? null : transactions * clients;
}

export function howMeasured({ rate, scripts }: PgbenchRun): Parameters<typeof measuresOfRun>[1] {
  return { closedLoop: rate === undefined, scripts: scriptsApart(scripts) };
}

/** Tool.reparse for pgbench: what it printed, and its logs of every transaction if there are any. */
export async function reparse(
  workload: PgbenchRun,
  folder: string,
  { logged, ...trial }: { startedAt: Date; signal: AbortSignal; logged: LoggedLoad },
): Promise<Measures> {
  const files = outputFilesIn(folder, 'pgbench');
  const logs = path.join(folder, transactionLogFolder);
  const gone = [files.stdout, files.stderr].filter((file) => !exists(file));
  if (gone.length === 2 && !exists(logs)) return {};
  if (gone.length > 0) throw new UserError(`${gone.join(' and ')} cannot be read: no such file.`);
  const run = readRun({
    ...readOutputs(files),
    exitCode: 0,
    requestedTransactions: requestedBy(workload),
  });
  // An aborted run never becomes a finished trial.
  if (!run.complete)
    throw new UserError(
      `${files.stdout} and ${files.stderr} do not contain a complete run: ${run.problems.join('; ')}.`,
    );
  const { measures } = measuresOfRun(run, howMeasured(workload));
  // If the record has more measures than these, it was not made from these files.
  if (!exists(logs)) return { ...measures, ...measuresWithoutLog(logged) };
  const reported = [run.transactions, run.failedTransactions, run.skippedTransactions].reduce<number>(
    (sum, count) => sum + (count ?? 0),
    0,
  );
  const digest = await digestLogs(findLogs(logs), { ...logged, ...trial, reported });
  return { ...measures, ...measuresInLog(digest, logged, measures).measures };
}
