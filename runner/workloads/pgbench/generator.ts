import path from 'node:path';
import type { Client } from '../../postgres/client.ts';
import type { Findings } from '../../collect/collector.ts';
import type { Measures } from '../../contract/metric.ts';
import { PartError } from '../../contract/errors.ts';
import { failureBy } from '../../contract/printed.ts';
import type { ToolRun } from '../../contract/tool-output.ts';
import { removeFile } from '../../files/write.ts';
import { type Client as ProgramClient, withClient } from '../../process/client.ts';
import { withLentFolder } from '../../process/lent-folder.ts';
import type { OutputFiles } from '../../process/output-files.ts';
import { CommandError, type CommandWithFilesResult, requireSuccess } from '../../process/run-command.ts';
import { connectionString, type Target, throughPooler } from '../../postgres/target.ts';
import { loadArguments, ownScriptsOf, runArguments, type RunLength, scriptPaths } from './arguments.ts';
import { type LoadedCount, loadingTarget, missingFromTables, sqlArray } from '../loading.ts';
import type { GeneratorOptions, LoadGenerator } from '../load-generator.ts';
import { measureCeiling } from './ceiling.ts';
import { type PgbenchRun, type PgbenchWorkload, scriptsIn, writeScripts } from './schema.ts';
import { measuresOfRun } from './measures.ts';
import {
  betweenStatements,
  emptiedWarnings,
  noiseWarnings,
  outputFilesIn,
  readOutputs,
  shortenOutputs,
} from './output/output-files.ts';
import { parseOwnProgress, silencesOf } from './output/parse-progress.ts';
import { readRun } from './output/parse-output.ts';
import { howMeasured, requestedBy } from './reparse.ts';
import { transactionLog, transactionLogFolder } from './transaction-log.ts';
import { tryScripts } from './try-scripts.ts';

/** What runs the load by pgbench, whatever has loaded the data. */
export interface PgbenchRunner extends Required<Pick<LoadGenerator, 'tryScripts' | 'ceiling'>> {
  warmUp: LoadGenerator['warmUp'];
  measure(
    ...request: Parameters<LoadGenerator['measure']>
  ): Promise<Awaited<ReturnType<LoadGenerator['measure']>> & { run: ToolRun }>;
}

/** What a run of pgbench has shown. */
interface LoadRun extends CommandWithFilesResult {
  /** When it began, as a Unix time in seconds. */
  launchedAt: number;
  withOwnPaths: ProgramClient['withOwnPaths'];
}

/** Load generator that runs pgbench from the given folder of programs, on its own tables. */
export function pgbenchGenerator(options: GeneratorOptions<PgbenchWorkload>): LoadGenerator & PgbenchRunner {
  const { workload, programs } = options;
  return {
    async load(target, { folder, signal, onProgress }) {
      const log = path.join(folder, `load-${target.server}.log`);
      const command = [path.join(programs, 'pgbench'), ...loadArguments(workload), connectionString(target)];
      const { environment } = await loadingTarget(target, signal);
      const loading = await withClient({ signal }, (client) =>
        client.run(command, {
          cwd: folder,
          environment,
          signal,
          files: { stdout: log, stderr: log },
          onStdoutLine(line) {
            const percent = /\((\d+)%\)/.exec(line)?.[1];
            if (percent !== undefined) onProgress(Number(percent) / 100);
          },
        }),
      );
      requireSuccess(command, loading);
    },
    missing: (client) => missingFromLoad(client, workload),
    ...pgbenchRunner(options),
  };
}

/** Runs the load by pgbench from the given folder of programs, on the tables that the scripts know. */
export function pgbenchRunner(options: GeneratorOptions<PgbenchRun>): PgbenchRunner {
  const { workload, scriptFolder } = options;
  const program = path.join(options.programs, 'pgbench');
  const logsTransactions = options.collect.includes(transactionLog.name);

  async function run(
    server: Target,
    request: Parameters<LoadGenerator['measure']>[1],
    { files, length, logs }: { length: RunLength; logs?: boolean; files: OutputFiles },
  ): Promise<LoadRun> {
    let startSeconds: number | null = null;
    let launchedAt = NaN;
    const { folder, seed, signal, onProcess, onProgress, onEnd } = request;
    const target = throughPooler(server);
    await writeScripts(folder, ownScriptsOf(workload));
    const reads = scriptPaths(workload, { folder, scriptFolder });
    return withClient({ reads, signal }, async (client) => {
      const { pathOf, withOwnPaths } = client;
      const how = { length, folder, scriptFolder, pathOf, seed, ...(logs && { logPrefix: 'pgbench_log' }) };
      const command = [program, ...runArguments(workload, how), connectionString(target)];
      const begin = async (cwd: string): Promise<CommandWithFilesResult> => {
        const result = await client.run(command, {
          cwd,
          environment: target.environment,
          signal,
          files,
          onStart(pid) {
            launchedAt = Date.now() / 1000;
            onProcess?.(pid);
          },
          onStderrLine(line) {
            const progress = parseOwnProgress(line);
            if (!progress) return;
            // With --progress-timestamp, progress lines have the time of day, like the log of transactions.
            startSeconds ??= progress.elapsedSeconds - 1;
            onProgress({ elapsedSeconds: progress.elapsedSeconds - startSeconds, tps: progress.tps });
          },
        });
        await onEnd?.();
        return result;
      };
      // It is the working folder, so pgbench writes to this trial even if the run's folder is moved or replaced.
      const result = logs ? await withLentFolder(folder, transactionLogFolder, begin) : await begin(folder);
      return { ...result, launchedAt, withOwnPaths };
    });
  }

  /** Runs pgbench, and shortens what a noisy load has printed, however the run ends. */
  async function runToEnd(...[target, request, what]: Parameters<typeof run>) {
    try {
      return await run(target, request, what);
    } finally {
      // Why a load failed matters more. Whoever reads the files will find out what is wrong with them.
      await shortenOutputs(what.files).catch(() => undefined);
    }
  }

  return {
    tryScripts: (target, request) => tryScripts(target, options, request),
    ceiling: (target, request) => measureCeiling(target, options, request),

    async warmUp(target, { seconds, ...request }) {
      const files = outputFilesIn(request.folder, 'warm-up');
      const result = await runToEnd(target, request, { length: { durationSeconds: Math.ceil(seconds) }, files });
      if (result.exitCode !== 0) throw new CommandError(['pgbench (warm-up)'], result, 'load-failed');
      removeFile(files.stdout);
      removeFile(files.stderr);
    },

    async measure(target, request) {
      const files = outputFilesIn(request.folder, 'pgbench');
      const result = await runToEnd(target, request, { length: workload, files, logs: logsTransactions });
      const { stdout, stderr } = readOutputs(files);
      const output = { stdout: result.withOwnPaths(stdout), stderr: result.withOwnPaths(stderr) };
      const requestedTransactions = requestedBy(workload);
      const read = readRun({ ...output, exitCode: result.exitCode, requestedTransactions });
      const parsed = {
        ...read,
        // Without tables of its own, pgbench prints 1.
        scale: workload.scale === undefined ? null : read.scale,
        scripts: read.scripts.map((one) => ({ ...one, name: asDeclared(one.name, request.folder, scriptFolder) })),
      };
      const { emptied } = result;
      const emptiedFiles = emptiedWarnings(emptied);
      if (!parsed.complete) {
        const message = ['pgbench did not complete: ' + parsed.problems.join('; '), ...emptiedFiles].join('. ');
        const otherwise = result.exitCode === 0 && isNothing(parsed) ? 'no-transactions' : 'load-failed';
        throw new PartError(message, failureBy(output.stderr, otherwise));
      }
      const { measures, facts } = measuresOfRun(parsed, howMeasured(workload));
      const { initialConnectionSeconds: connecting = null } = read;
      const begin = connecting === null ? null : result.launchedAt + connecting;
      const { printedForSeconds: processSeconds, printedBytes, lastPrintedAt } = result;
      // If a process is over at once, its summary alone must not look like a flood.
      const printed = printedBytes / Math.max(1, processSeconds);
      return {
        measures: {
          ...{
            ...measures,
            ...statementMeasures(output.stdout, parsed),
            ...progressMeasures(output.stderr, { begin, emptied: emptied.stderr }, workload),
          },
          ...commitMeasures(parsed, workload),
          'load.processSeconds': processSeconds,
          'load.printed': printed,
        },
        ...windowOfLoad(measures, lastPrintedAt),
        facts,
        warnings: [...noiseWarnings(printed), ...emptiedFiles],
        run: parsed,
      };
    },
  };
}

/** pgbench prints the whole path of a script, which depends on where it ran. */
function asDeclared(name: string, folder: string, scriptFolder: string): string {
  if (path.dirname(name) === scriptsIn(folder)) return path.basename(name, '.sql');
  return path.isAbsolute(name) ? path.relative(scriptFolder, name) : name;
}

/** pgbench prints its summary as soon as its last client has ended. Its throughput says how long before it had begun. */
function windowOfLoad({ transactions = null, tps = null }: Measures, endedAt: number): Pick<Findings, 'load'> {
  if (transactions === null || tps === null || tps <= 0) return {};
  return { load: { from: endedAt - (transactions / tps) * 1000, to: endedAt } };
}

function statementMeasures(stdout: string, run: ToolRun): Measures {
  const seconds = betweenStatements(stdout, run);
  return seconds === null ? {} : { 'latency.betweenStatements': seconds };
}

function progressMeasures(
  stderr: string,
  { begin, emptied }: { begin: number | null; emptied: number },
  { reconnect }: PgbenchRun,
): Measures {
  // Reports are missing between those that are left.
  if (emptied > 0) return { 'progress.gap': null, 'progress.silence': null, 'progress.emptied': emptied };
  const { gapSeconds, silentSeconds } = silencesOf(stderr, begin);
  // While it connects, pgbench prints nothing.
  return { 'progress.gap': reconnect ? null : gapSeconds, 'progress.silence': silentSeconds };
}

/**
 * Each built-in script, and each of ours, is one transaction; a user's script may have any number. A connection adds
 * one.
 */
function commitMeasures({ transactions }: ToolRun, { scripts, reconnect }: PgbenchRun): Measures {
  const isKnown = transactions !== null && scripts.every((script) => 'builtin' in script);
  return { 'load.commits': isKnown ? transactions * (reconnect ? 2 : 1) : null };
}

const [tellersPerBranch, accountsPerBranch] = [10, 100_000];
/** How many constraints `pgbench -i --foreign-keys` makes. */
const foreignKeys = 5;

/**
 * What is missing from a load, each a phrase; empty if nothing is. pgbench fills the tables in one transaction, and
 * makes the keys afterwards. So the last account and valid keys prove that all of it is there, without reading every
 * row.
 */
export function missingFromLoad(
  client: Client,
  { scale, load }: Pick<PgbenchWorkload, 'scale' | 'load'>,
): Promise<string[]> {
  const tables = ['pgbench_accounts', 'pgbench_branches', 'pgbench_history', 'pgbench_tellers'];
  const inTables = `ANY (${sqlArray(tables)}::regclass[])`;
  const foreign = `conrelid = ${inTables} AND contype = 'f' AND convalidated AND conparentid = 0`;
  const counts: readonly LoadedCount[] = [
    ['branches', 'SELECT count(*) FROM pgbench_branches', scale],
    ['tellers', 'SELECT count(*) FROM pgbench_tellers', scale * tellersPerBranch],
    ['accounts', 'SELECT coalesce(max(aid), 0) FROM pgbench_accounts', scale * accountsPerBranch],
    ['primary keys', `SELECT count(*) FROM pg_index WHERE indrelid = ${inTables} AND indisprimary AND indisvalid`, 3],
    ...(load.foreignKeys
      ? [['foreign keys', `SELECT count(*) FROM pg_constraint WHERE ${foreign}`, foreignKeys] as const]
      : []),
  ];
  return missingFromTables(client, tables, counts);
}

/** Whether it came to its end without an attempt at a transaction that ended. */
function isNothing({ transactions, failedTransactions, skippedTransactions, durationSeconds }: ToolRun): boolean {
  return transactions === 0 && (failedTransactions ?? 0) + (skippedTransactions ?? 0) === 0 && durationSeconds !== null;
}
