import path from 'node:path';
import { PartError } from '../../contract/errors.ts';
import { makeFolderIn, removeTree, writeFileIn } from '../../files/write.ts';
import { connectionString, type Target } from '../../postgres/target.ts';
import { withClient } from '../../process/client.ts';
import { withLentFolder } from '../../process/lent-folder.ts';
import { requireSuccess } from '../../process/run-command.ts';
import type { GeneratorOptions } from '../load-generator.ts';
import { runArguments, scriptPaths } from './arguments.ts';
import { readRun } from './output/parse-output.ts';
import type { PgbenchRun } from './schema.ts';
import { transactionLog } from './transaction-log.ts';

/** Of the load itself, which trials are compared with, and of one statement, about which doctor only says a number. */
const seconds = { load: 3, statement: 1 };
/** A transaction that asks the server for nothing. pgbench does everything else as for any other. */
const nothing = '\\sleep 0 us\n';

/**
 * How many transactions a second pgbench can do with as many clients and threads, in the same query mode, and with its
 * log if the trial has one.
 *
 * @param request.statement that each transaction consists of. @default none: the server is asked for nothing
 */
export async function measureCeiling(
  target: Target,
  { workload, programs, collect }: GeneratorOptions<PgbenchRun>,
  request: { folder: string; signal: AbortSignal; statement?: string },
): Promise<number> {
  const folder = makeFolderIn(request.folder, 'ceiling');
  try {
    await writeFileIn(folder, 'ceiling.sql', request.statement === undefined ? nothing : `${request.statement};\n`);
    const { rate: _, latencyLimitMs: __, maxTries: ___, ...closedLoop } = workload;
    const bare = {
      ...closedLoop,
      scripts: [{ file: 'ceiling.sql', weight: 1 }],
      reconnect: false,
      perStatement: false,
    };
    const logPrefix = collect.includes(transactionLog.name) ? { logPrefix: 'log' } : {};
    const durationSeconds = request.statement === undefined ? seconds.load : seconds.statement;
    const how = { length: { durationSeconds }, folder, scriptFolder: folder, seed: 1, ...logPrefix };
    const { signal } = request;
    const { tps, problems } = await withClient({ reads: scriptPaths(bare, how), signal }, ({ pathOf, run }) =>
      withLentFolder(folder, 'logs', async (cwd) => {
        const options = runArguments(bare, { ...how, pathOf });
        const command = [path.join(programs, 'pgbench'), ...options, connectionString(target)];
        const result = requireSuccess(command, await run(command, { cwd, environment: target.environment, signal }));
        return readRun({ ...result, requestedTransactions: null });
      }),
    );
    if (tps === null) throw new PartError(`pgbench did not complete: ${problems.join('; ')}`, 'load-failed');
    return tps;
  } finally {
    removeTree(folder);
  }
}
