import path from 'node:path';
import type { Client } from '../../postgres/client.ts';
import { PartError } from '../../contract/errors.ts';
import { failureBy } from '../../contract/printed.ts';
import { readTextWhole } from '../../files/read.ts';
import { removeFile } from '../../files/write.ts';
import { withConnection } from '../../postgres/connect.ts';
import { connectionString, type Target, throughPooler } from '../../postgres/target.ts';
import { withClient } from '../../process/client.ts';
import type { OutputFiles } from '../../process/output-files.ts';
import type { CommandWithFilesResult } from '../../process/run-command.ts';
import type { GeneratorOptions, LoadGenerator } from '../load-generator.ts';
import { loadingTarget, missingFromTables, sqlArray } from '../loading.ts';
import { intervalIn } from './output/lines.ts';
import { fatalIn, readRun, seriesOf } from './output/parse-output.ts';
import { program } from './program.ts';
import { commitsOf, measuresOfRun, type SysbenchWorkload, tablesOf } from './schema.ts';

/** Load generator that runs sysbench's scripts for databases. */
export function sysbenchGenerator({ workload }: Pick<GeneratorOptions<SysbenchWorkload>, 'workload'>): LoadGenerator {
  return {
    async load(target, { folder, signal, onProgress }) {
      let indexed = 0;
      await carryOut(await loadingTarget(target, signal), loadArguments(workload), {
        files: filesIn(folder, `load-${target.server}`),
        signal,
        onStdoutLine(line) {
          if (!tableDone.test(line)) return;
          indexed += 1;
          onProgress(Math.min(1, indexed / workload.tables) * loadingShare);
        },
      });
      const vacuum = (client: Client): Promise<unknown> =>
        client.query(`VACUUM (ANALYZE) ${tablesOf(workload).join(', ')}`);
      await withConnection(target, vacuum, signal, { long: true });
      onProgress(1);
    },

    missing: (client) => missingFromLoad(client, workload),

    async warmUp(target, { folder, seconds, seed, signal, onProgress }) {
      const files = filesIn(folder, 'warm-up');
      const run = { ...workload, durationSeconds: Math.ceil(seconds) };
      await carryOut(throughPooler(target), runArguments(run, seed), {
        files,
        signal,
        onStdoutLine: reporting(onProgress),
      });
      removeFile(files.stdout);
      removeFile(files.stderr);
    },

    async measure(target, { folder, seed, signal, onProgress, onProcess, onEnd }) {
      const files = filesIn(folder, 'sysbench');
      const { printedForSeconds, lastPrintedAt } = await carryOut(throughPooler(target), runArguments(workload, seed), {
        files,
        signal,
        onStdoutLine: reporting(onProgress),
        ...(onProcess && { onStart: onProcess }),
        ...(onEnd && { onEnd }),
      });
      const lines = linesIn(files);
      const run = readRun(lines);
      if (!run.complete) throw new PartError(`sysbench did not complete: ${run.problems.join('; ')}`, 'load-failed');
      const { measures, facts } = measuresOfRun(run, workload);
      return {
        measures: {
          ...measures,
          'load.commits': commitsOf(workload, run),
          'load.processSeconds': printedForSeconds,
        },
        load: { from: lastPrintedAt - (run.durationSeconds ?? 0) * 1000, to: lastPrintedAt },
        facts,
        series: seriesOf(lines),
      };
    },
  };
}

/** The files in a trial's folder for what sysbench prints. */
export function filesIn(folder: string, name: string): OutputFiles {
  return { stdout: path.join(folder, `${name}.stdout.log`), stderr: path.join(folder, `${name}.stderr.log`) };
}

export function linesIn({ stdout }: OutputFiles): string[] {
  return readTextWhole(stdout).split('\n');
}

/** The part of the time that rows and indexes take; vacuum takes the rest. */
const loadingShare = 0.9;
const tableDone = /^Creating a secondary index on 'sbtest\d+'\.\.\.$/;

/** sysbench draws the rows anew each time: `prepare` takes no seed. */
export function loadArguments(workload: SysbenchWorkload): string[] {
  const threads = Math.min(workload.tables, maxLoadThreads);
  return [...tableArguments(workload), `--threads=${threads}`, workload.script, 'prepare'];
}

/** Each fills one table after another. */
const maxLoadThreads = 8;

export function runArguments(workload: SysbenchWorkload, seed: number): string[] {
  const { script, clients, durationSeconds, rate, queryMode } = workload;
  return [
    ...tableArguments(workload),
    `--threads=${clients}`,
    `--time=${durationSeconds}`,
    ...(rate === undefined ? [] : [`--rate=${rate}`]),
    `--db-ps-mode=${queryMode === 'prepared' ? 'auto' : 'disable'}`,
    // 0 would be the time of day.
    `--rand-seed=${seed % maxSeed || 1}`,
    '--percentile=95',
    '--histogram=on',
    '--report-interval=1',
    script,
    'run',
  ];
}

const maxSeed = 2 ** 31 - 1;

function tableArguments({ tables, tableSize, distribution }: SysbenchWorkload): string[] {
  return [`--tables=${tables}`, `--table-size=${tableSize}`, `--rand-type=${distribution}`];
}

function reporting(onProgress: Parameters<LoadGenerator['warmUp']>[1]['onProgress']): (line: string) => void {
  return (line) => {
    const interval = intervalIn(line);
    if (interval) onProgress(interval);
  };
}

/**
 * Lets sysbench connect by libpq alone: from the name of the database, libpq reads a whole connection string, and takes the
 * password from where it always does. The address that sysbench would give instead must be empty.
 *
 * @throws {PartError} if it did not do all of it. After a failed `prepare`, it exits with 0
 */
async function carryOut(
  target: Target,
  args: readonly string[],
  {
    onEnd,
    ...options
  }: {
    files: OutputFiles;
    signal: AbortSignal;
    onStdoutLine: (line: string) => void;
    onStart?: (pid: number) => void;
    onEnd?: () => Promise<void>;
  },
): Promise<CommandWithFilesResult> {
  const address = ['host', 'port', 'user'].map((key) => `--pgsql-${key}=`);
  const command = [program, '--db-driver=pgsql', ...address, `--pgsql-db=${connectionString(target)}`, ...args];
  const { environment } = target;
  const result = await withClient(options, (client) => client.run(command, { ...options, environment }));
  await onEnd?.();
  const { stdout, stderr } = result;
  const fatal = fatalIn(stdout.split('\n'));
  if (result.exitCode === 0 && fatal.length === 0) return result;
  // Version 1.0 crashes.
  const crashed = 'it crashed or was killed, as when the server ends one of its connections';
  const words = [...fatal, ...(fatal.length === 0 ? [stderr.trim().split('\n').at(-1) || crashed] : [])];
  throw new PartError(`sysbench: ${words.join('; ')}`, failureBy(`${stdout}\n${stderr}`, 'load-failed'));
}

/**
 * What is missing from a load, each a phrase; empty if nothing is. sysbench makes the index of a table after its rows.
 * Trials may delete rows, but never give their numbers back.
 */
async function missingFromLoad(client: Client, { tables, tableSize }: SysbenchWorkload): Promise<string[]> {
  const names = tablesOf({ tables });
  const sequences = names.map((name) => `${name}_id_seq`);
  const valid = `indrelid = ANY (${sqlArray(names)}::regclass[]) AND indisvalid`;
  const drawn = `SELECT coalesce(sum(least(pg_sequence_last_value(name::regclass), ${tableSize})), 0) FROM unnest(${sqlArray(sequences)}) AS name`;
  return missingFromTables(
    client,
    [...names, ...sequences],
    [
      ['rows', drawn, tables * tableSize],
      ['primary keys and indexes', `SELECT count(*) FROM pg_index WHERE ${valid}`, 2 * tables],
    ],
  );
}
