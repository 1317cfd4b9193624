import path from 'node:path';
import type { PgbenchScript, PgbenchWorkload } from './schema.ts';
import type { Target } from '../../postgres/target.ts';

/** Arguments that reach the target; its password is in no argument. */
export function connectionArguments(target: Target): string[] {
  return [`--host=${target.host}`, `--port=${target.port}`, `--username=${target.user}`, target.database];
}

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
  /** Transactions of each client. */
  transactions?: number | undefined;
  durationSeconds?: number | undefined;
}

/** `scriptFolder` is what script files are relative to; `logPrefix` asks for a log of every transaction. */
export function runArguments(
  workload: PgbenchWorkload,
  options: { length: RunLength; scriptFolder: string; logPrefix?: string },
): string[] {
  const { length, logPrefix } = options;
  return [
    `--client=${workload.clients}`,
    `--jobs=${workload.threads}`,
    ...(length.durationSeconds === undefined
      ? [`--transactions=${length.transactions ?? 0}`]
      : [`--time=${length.durationSeconds}`]),
    ...workload.scripts.map((script) => scriptArgument(script, options.scriptFolder)),
    // The scale cannot be read off tables of one's own, and own scripts rely on it.
    ...(workload.scripts.some((script) => 'file' in script) ? [`--define=scale=${workload.scale}`] : []),
    ...Object.entries(workload.variables).map(([name, value]) => `--define=${name}=${value}`),
    `--protocol=${workload.queryMode}`,
    ...(workload.rate === undefined ? [] : [`--rate=${workload.rate}`]),
    ...(workload.latencyLimitMs === undefined ? [] : [`--latency-limit=${workload.latencyLimitMs}`]),
    ...(workload.maxTries === undefined ? [] : [`--max-tries=${workload.maxTries}`]),
    ...(workload.reconnect ? ['--connect'] : []),
    ...(workload.perStatement ? ['--report-per-command'] : []),
    '--progress=1',
    '--progress-timestamp',
    // What pgbench would do before a run is a reset step of ours, so that it is the same for warm-up and trial.
    '--no-vacuum',
    ...(logPrefix === undefined ? [] : ['--log', `--log-prefix=${logPrefix}`]),
  ];
}

function scriptArgument(script: PgbenchScript, folder: string): string {
  return 'builtin' in script
    ? `--builtin=${script.builtin}@${script.weight}`
    : `--file=${path.resolve(folder, script.file)}@${script.weight}`;
}
