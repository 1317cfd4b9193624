import path from 'node:path';
import {
  ownScripts,
  ownVariables,
  type PgbenchRun,
  type PgbenchScript,
  type PgbenchWorkload,
  scriptsIn,
} from './schema.ts';
import type { Target } from '../../postgres/target.ts';

export function loadArguments({ scale, load }: PgbenchWorkload): string[] {
  return [
    '--initialize',
    `--scale=${scale}`,
    `--fillfactor=${load.fillFactor}`,
    ...(load.partitions > 0 ? [`--partitions=${load.partitions}`, `--partition-method=${load.partitionMethod}`] : []),
    ...(load.foreignKeys ? ['--foreign-keys'] : []),
    ...(load.unlogged ? ['--unlogged-tables'] : []),
    ...(load.generatedBy === 'server' ? ['--init-steps=dtGvp'] : []),
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
 * @param folder of the trial, with the scripts that are not built into pgbench
 * @param scriptFolder folder that paths of script files are relative to
 * @param seed for rows, the mix of scripts, and the moments of arrival
 * @param logPrefix asks for a log of every transaction, by a path that may be relative to the folder; undefined for
 *   none
 */
export function runArguments(
  workload: PgbenchRun,
  options: { length: RunLength; folder: string; scriptFolder: string; seed: number; logPrefix?: string },
): string[] {
  const { length, logPrefix } = options;
  return [
    `--client=${workload.clients}`,
    `--jobs=${workload.threads}`,
    ...(length.durationSeconds === undefined
      ? [`--transactions=${length.transactions ?? 0}`]
      : [`--time=${length.durationSeconds}`]),
    ...workload.scripts.map((script) => scriptArgument(script, options)),
    // pgbench reads the scale only for its built-in scripts, but users' scripts rely on it.
    ...(workload.scale !== undefined && workload.scripts.some((script) => !isOfPgbench(script))
      ? [`--define=scale=${workload.scale}`]
      : []),
    ...Object.entries({ ...variablesOfOwn(workload), ...workload.variables }).map(
      ([name, value]) => `--define=${name}=${value}`,
    ),
    `--protocol=${workload.queryMode}`,
    ...(workload.rate === undefined ? [] : [`--rate=${workload.rate}`]),
    ...(workload.latencyLimitMs === undefined ? [] : [`--latency-limit=${workload.latencyLimitMs}`]),
    // pgbench takes 0 only if something ends the tries. The two transactions that try a script out have no duration, even
    // if the workload has one.
    ...(workload.maxTries === undefined ||
    (workload.maxTries === 0 &&
      !endsTries({ latencyLimitMs: workload.latencyLimitMs, durationSeconds: length.durationSeconds }))
      ? []
      : [`--max-tries=${workload.maxTries}`]),
    ...(workload.reconnect ? ['--connect'] : []),
    // Its long name differs between versions.
    ...(workload.perStatement ? ['-r'] : []),
    ...(workload.failuresDetailed ? ['--failures-detailed'] : []),
    ...(workload.verboseErrors ? ['--verbose-errors'] : []),
    ...(workload.continueOnError ? ['--continue-on-error'] : []),
    ...(workload.exitOnAbort ? ['--exit-on-abort'] : []),
    `--random-seed=${options.seed}`,
    '--progress=1',
    '--progress-timestamp',
    // Our reset steps replace pgbench's own preparations, so that these are the same for warm-up and trial.
    '--no-vacuum',
    ...(logPrefix === undefined
      ? []
      : [
          '--log',
          `--log-prefix=${logPrefix}`,
          ...(workload.samplingRate === undefined ? [] : [`--sampling-rate=${workload.samplingRate}`]),
        ]),
  ];
}

/**
 * Whether something ends the tries of a transaction that never succeeds. If nothing does, pgbench refuses unlimited
 * tries.
 */
export function endsTries({
  durationSeconds,
  latencyLimitMs,
}: Pick<Partial<PgbenchRun>, 'durationSeconds' | 'latencyLimitMs'>): boolean {
  return durationSeconds !== undefined || latencyLimitMs !== undefined;
}

const isOfPgbench = (script: PgbenchScript): boolean => 'builtin' in script && !(script.builtin in ownScripts);

/** The texts of pgduet's own scripts in a workload, by name. */
export function ownScriptsOf({ scripts }: Pick<PgbenchRun, 'scripts'>): Record<string, string> {
  const names = scripts.flatMap((script) => ('builtin' in script ? [script.builtin] : []));
  return Object.fromEntries(Object.entries(ownScripts).filter(([name]) => names.some((one) => one === name)));
}

function variablesOfOwn(workload: PgbenchRun): Record<string, number> {
  return Object.keys(ownScriptsOf(workload)).length > 0 ? ownVariables : {};
}

function scriptArgument(script: PgbenchScript, where: { folder: string; scriptFolder: string }): string {
  if ('file' in script) return `--file=${path.resolve(where.scriptFolder, script.file)}@${script.weight}`;
  return isOfPgbench(script)
    ? `--builtin=${script.builtin}@${script.weight}`
    : `--file=${path.join(scriptsIn(where.folder), `${script.builtin}.sql`)}@${script.weight}`;
}

/** The environment of pgbench, psql and pg_restore. From ours, they get only PATH, and what a target names. */
export function clientEnvironment(target: Target): Record<string, string | undefined> {
  return { PATH: process.env['PATH'], LC_ALL: 'C', ...target.environment };
}
