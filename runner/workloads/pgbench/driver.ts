import { KeyError } from '../../contract/errors.ts';
import type { DriverNeeds } from '../tool.ts';

/** @param programs folder with PostgreSQL's client programs */
export async function pgbenchVersion(programs: string, { signal }: { signal: AbortSignal }): Promise<string> {
  const { askProgram } = await import('../../process/run-command.ts');
  return (await askProgram([`${programs}/pgbench`, '--version'], { signal })).stdout.trim();
}

/**
 * Refuses options that this pgbench does not have, before anything is loaded.
 *
 * @throws {UserError} with the key of the workload and the version that it needs
 */
export async function requireOptions(
  askVersion: () => Promise<string>,
  workload: Readonly<Record<string, unknown>>,
): Promise<void> {
  const newer = Object.entries(optionsOfPgbench).flatMap(([option, use]) =>
    'since' in use && workload[keyOf(option)] ? [{ option, key: keyOf(option), since: use.since ?? 0 }] : [],
  );
  if (newer.length === 0) return;
  const version = await askVersion();
  const major = Number(/\) (\d+)/.exec(version)?.[1] ?? NaN);
  for (const { option, key, since } of newer) {
    if (!(major < since)) continue;
    throw new KeyError(
      `workload.${key} is ${JSON.stringify(workload[key])}: ${version} has no ${option}. Omit it, or measure with pgbench ${since} or newer (--pg-bindir).`,
    );
  }
}

/** Major versions of PostgreSQL whose client programs Amazon Linux 2023 has. */
const packagedMajors = { oldest: 15, newest: 18 };

/**
 * Takes pgbench of the variants' own major version, as the published studies did. A client may be newer than the
 * server, but not older.
 */
export const driverNeeds: DriverNeeds = {
  packages(serverMajors) {
    const major = Math.min(Math.max(packagedMajors.oldest, ...serverMajors), packagedMajors.newest);
    return [`postgresql${major}`, `postgresql${major}-contrib`];
  },
  programs: ['pgbench', 'psql'],
};

/** What an experiment sets for an option of pgbench, or why it cannot set it. */
export type OptionUse = { setBy: string; since?: number } | { refused: string };

/**
 * Every option of pgbench 14 to 19. docs/workloads.md has them as a table, and a test compares them with what each
 * version's `--help` lists.
 */
export const optionsOfPgbench: Readonly<Record<string, OptionUse>> = {
  '--aggregate-interval': {
    refused: 'percentiles need the log of every transaction; series by the second also come from it',
  },
  '--builtin': { setBy: '`scripts: [{ builtin: select-only, weight: 2 }]`' },
  '--client': { setBy: '`clients`' },
  '--connect': {
    setBy:
      '`reconnect`; a thread connects one client at a time, so give each client its own thread, or the others’ latency includes the wait',
  },
  '--continue-on-error': {
    setBy: '`continueOnError`; metrics `transactions.failed` and, with `failuresDetailed`, `failures.other`',
    since: 19,
  },
  '--dbname': { refused: 'pgduet decides which server is measured' },
  '--debug': { refused: 'its output would be most of what the client does' },
  '--define': { setBy: '`variables`' },
  '--exit-on-abort': {
    setBy: '`exitOnAbort`; without it, a run in which a client aborts fails only when it ends',
    since: 17,
  },
  '--failures-detailed': { setBy: '`failuresDetailed`; metrics `failures.*`', since: 15 },
  '--file': { setBy: '`scripts: [{ file: order.sql, weight: 2 }]`' },
  '--fillfactor': { setBy: '`load.fillFactor`' },
  '--foreign-keys': { setBy: '`load.foreignKeys`' },
  '--help': { refused: 'it measures nothing' },
  '--host': { refused: 'pgduet decides which server is measured' },
  '--index-tablespace': { refused: 'indexes would lie outside the volumes that the variants declare' },
  '--init-steps': {
    setBy:
      '`load.generatedBy: server` for step G in place of g; the other steps always run, because without rows or keys nothing proves a load',
  },
  '--initialize': { setBy: 'done once for each server; `load` says how' },
  '--jobs': { setBy: '`threads`' },
  '--latency-limit': { setBy: '`latencyLimitMs`; metric `latency.withinLimit`' },
  '--log': { refused: 'the collector `transaction-log` sets it; for no log, omit that collector from `collect`' },
  '--log-prefix': { refused: 'the log belongs in the folder of its trial' },
  '--max-tries': { setBy: '`maxTries`, 0 for no limit; metrics `transactions.retries`, `latency.retried`', since: 15 },
  '--no-vacuum': {
    refused: 'pgduet always sets it; `protocol.reset` says what is vacuumed, in the same way before each trial',
  },
  '--partition-method': { setBy: '`load.partitionMethod`' },
  '--partitions': { setBy: '`load.partitions`' },
  '--port': { refused: 'pgduet decides which server is measured' },
  '--progress': { refused: 'pgduet always sets it, to one second: the checks for silent seconds read it' },
  '--progress-timestamp': { refused: 'pgduet always sets it, so that progress and logs have the same clock' },
  '--protocol': { setBy: '`queryMode`' },
  '--quiet': { refused: 'pgduet reads the progress of the load, and keeps its output in a file' },
  '--random-seed': { refused: 'it follows from `protocol.seed`, and is the same for all variants of a block' },
  '--rate': { setBy: '`rate`; metrics `lag.*`' },
  '--report-latencies': { setBy: '`perStatement` (the name up to 14)' },
  '--report-per-command': { setBy: '`perStatement`; metric `latency.betweenStatements`' },
  '--sampling-rate': {
    setBy: '`samplingRate`; percentiles are then not exact and may not decide, and there are no series of throughput',
  },
  '--scale': { setBy: '`scale`' },
  '--select-only': { setBy: '`scripts: [{ builtin: select-only }]`' },
  '--show-script': { refused: 'it measures nothing' },
  '--skip-some-updates': { setBy: '`scripts: [{ builtin: simple-update }]`' },
  '--tablespace': { refused: 'tables would lie outside the volumes that the variants declare' },
  '--time': { setBy: '`durationSeconds`' },
  '--transactions': { setBy: '`transactions`' },
  '--unlogged-tables': { setBy: '`load.unlogged`' },
  '--username': { refused: 'pgduet decides which user clients connect as' },
  '--vacuum-all': { setBy: '`protocol.reset: [vacuum]`' },
  '--verbose-errors': { setBy: '`verboseErrors`; pgbench.stderr.log has them', since: 15 },
  '--version': { refused: 'it measures nothing; each result has the version' },
};

/** What a user might write in the workload for an option, such as `maxTries` for `--max-tries`. */
function keyOf(option: string): string {
  return option.slice(2).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Why the workload has no such key, by the key that a user might write for the option. */
export const refusedKeys: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(optionsOfPgbench).flatMap(([option, use]) =>
    'refused' in use
      ? [[keyOf(option), `an experiment cannot set pgbench’s ${option}: ${use.refused.replaceAll('`', '')}`]]
      : [],
  ),
);
