import path from 'node:path';
import type { PgbenchScript, PgbenchWorkload } from './schema.ts';

export function loadArguments({ scale, load }: PgbenchWorkload): string[] {
  return [
    '--initialize',
    `--scale=${scale}`,
    `--fillfactor=${load.fillFactor}`,
    ...(load.partitions > 0 ? [`--partitions=${load.partitions}`, `--partition-method=${load.partitionMethod}`] : []),
    ...(load.foreignKeys ? ['--foreign-keys'] : []),
  ];
}

export interface RunLength {
  /** Number of transactions of each client. */
  transactions?: number | undefined;
  durationSeconds?: number | undefined;
}

/**
 * Arguments of a run.
 *
 * @param scriptFolder folder that paths of script files are relative to
 * @param seed for rows, the mix of scripts, and the moments of arrival
 * @param logPrefix asks for a log of every transaction; undefined for none
 */
export function runArguments(
  workload: PgbenchWorkload,
  options: { length: RunLength; scriptFolder: string; seed: number; logPrefix?: string },
): string[] {
  const { length, logPrefix } = options;
  return [
    `--client=${workload.clients}`,
    `--jobs=${workload.threads}`,
    ...(length.durationSeconds === undefined
      ? [`--transactions=${length.transactions ?? 0}`]
      : [`--time=${length.durationSeconds}`]),
    ...workload.scripts.map((script) => scriptArgument(script, options.scriptFolder)),
    // pgbench cannot read the scale from a user's own tables, but users' scripts rely on it.
    ...(workload.scripts.some((script) => 'file' in script) ? [`--define=scale=${workload.scale}`] : []),
    ...Object.entries(workload.variables).map(([name, value]) => `--define=${name}=${value}`),
    `--protocol=${workload.queryMode}`,
    ...(workload.rate === undefined ? [] : [`--rate=${workload.rate}`]),
    ...(workload.latencyLimitMs === undefined ? [] : [`--latency-limit=${workload.latencyLimitMs}`]),
    ...(workload.maxTries === undefined ? [] : [`--max-tries=${workload.maxTries}`]),
    ...(workload.reconnect ? ['--connect'] : []),
    ...(workload.perStatement ? ['--report-per-command'] : []),
    `--random-seed=${options.seed}`,
    '--progress=1',
    '--progress-timestamp',
    // pgbench's own preparations are replaced by reset steps of ours, so that they are the same for warm-up and trial.
    '--no-vacuum',
    ...(logPrefix === undefined ? [] : ['--log', `--log-prefix=${logPrefix}`]),
  ];
}

function scriptArgument(script: PgbenchScript, folder: string): string {
  return 'builtin' in script
    ? `--builtin=${script.builtin}@${script.weight}`
    : `--file=${path.resolve(folder, script.file)}@${script.weight}`;
}
