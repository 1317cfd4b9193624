import path from 'node:path';
import {
  ownScripts,
  ownVariables,
  type PgbenchRun,
  type PgbenchScript,
  type PgbenchWorkload,
  scriptsIn,
} from './schema.ts';

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
 * @param options.folder of the trial, with the scripts that are not built into pgbench
 * @param options.scriptFolder folder that paths of script files are relative to
 * @param options.pathOf where pgbench finds a file. @default at its own path
 * @param options.seed for rows, the mix of scripts, and the moments of arrival
 * @param options.logPrefix asks for a log of every transaction, by a path that may be relative to pgbench's working folder;
 *   undefined for none
 */
export function runArguments(
  workload: PgbenchRun,
  options: ScriptPlaces & {
    length: RunLength;
    pathOf?: (file: string) => string;
    seed: number;
    logPrefix?: string;
  },
): string[] {
  const { length, logPrefix, pathOf = (file: string) => file } = options;
  return [
    `--client=${workload.clients}`,
    `--jobs=${workload.threads}`,
    ...(length.durationSeconds === undefined
      ? [`--transactions=${length.transactions ?? 0}`]
      : [`--time=${length.durationSeconds}`]),
    ...workload.scripts.map((script) => {
      const file = fileOf(script, options);
      const name = file === null ? `--builtin=${'builtin' in script ? script.builtin : ''}` : `--file=${pathOf(file)}`;
      return `${name}@${script.weight}`;
    }),
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

export interface ScriptPlaces {
  folder: string;
  scriptFolder: string;
}

/** The files of the scripts that pgbench reads, as absolute paths. */
export function scriptPaths({ scripts }: Pick<PgbenchRun, 'scripts'>, places: ScriptPlaces): string[] {
  return scripts.flatMap((script) => fileOf(script, places) ?? []);
}

/** null if the script is built into pgbench. */
function fileOf(script: PgbenchScript, { folder, scriptFolder }: ScriptPlaces): string | null {
  if ('file' in script) return path.resolve(scriptFolder, script.file);
  return isOfPgbench(script) ? null : path.resolve(scriptsIn(folder), `${script.builtin}.sql`);
}
