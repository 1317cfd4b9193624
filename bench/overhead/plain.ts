import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { connectionString, type Target } from '../../runner/postgres/target.ts';
import { plainEnvironment } from '../../runner/process/rights.ts';
import { CommandError, runCommand } from '../../runner/process/run-command.ts';
import { runArguments } from '../../runner/workloads/pgbench/arguments.ts';
import { readRun } from '../../runner/workloads/pgbench/output/parse-output.ts';
import { transactionLog, transactionLogFolder } from '../../runner/workloads/pgbench/transaction-log.ts';
import type { PgbenchWorkload } from '../../runner/workloads/pgbench/schema.ts';
import type { GeneratorOptions } from '../../runner/workloads/load-generator.ts';

/**
 * Runs pgbench with the arguments of its generator, but as the caller, and nothing of ours runs beside it.
 *
 * @returns transactions per second
 * @throws {CommandError} if pgbench fails; the signal's reason if it aborted
 */
export async function runPlainPgbench(
  { workload, scriptFolder, programs, collect }: GeneratorOptions<PgbenchWorkload>,
  target: Target,
  { folder, seed, signal }: { folder: string; seed: number; signal: AbortSignal },
): Promise<number> {
  const isLogged = collect.includes(transactionLog.name);
  const cwd = isLogged ? path.join(folder, transactionLogFolder) : folder;
  mkdirSync(cwd, { recursive: true });
  const logPrefix = 'pgbench_log';
  const command = [
    path.join(programs, 'pgbench'),
    ...runArguments(workload, { length: workload, folder, scriptFolder, seed, ...(isLogged && { logPrefix }) }),
    connectionString(target),
  ];
  const environment = { ...plainEnvironment, ...target.environment };
  const ended = await runCommand(command, { cwd, environment, signal });
  if (ended.exitCode !== 0) throw new CommandError(['pgbench'], ended);
  const { complete, problems, tps } = readRun({ ...ended, requestedTransactions: null });
  if (!complete || tps === null) throw new Error(`pgbench did not complete: ${problems.join('; ')}`);
  return tps;
}
