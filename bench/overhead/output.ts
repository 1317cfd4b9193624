import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { estimatePaired } from '../../runner/analysis/estimate.ts';
import { opener } from '../../runner/places/local/open.ts';
import { maxClients } from '../../runner/experiment/plan/design.ts';
import { targetAt } from '../../runner/places/place.ts';
import { withConnection } from '../../runner/postgres/connect.ts';
import { connectionString } from '../../runner/postgres/target.ts';
import { withClient } from '../../runner/process/client.ts';
import { makeOwnedFolder } from '../../runner/process/owned-folder.ts';
import { requireSuccess, runChecked } from '../../runner/process/run-command.ts';
import { outputFilesIn } from '../../runner/workloads/pgbench/output/output-files.ts';
import { parseProgressLine } from '../../runner/workloads/pgbench/output/parse-progress.ts';
import { markdownOf } from '../statistics/table.ts';
import { overheadExperiment, server } from './experiment.ts';
import type { OutputOptions } from './options.ts';

const level = 0.95;
const equivalence = 0.01;
const maxPeakBytes = 200 * 1024 ** 2;

/**
 * Measures what it costs that pgduet runs the load generator and reads its output. It compares pgbench alone, with its
 * output in files, with pgbench as a client (runner/process/client.ts), on one server at the highest rate of this machine, with some
 * notices for each transaction. They take turns, block by block, and change places from one block to the next. Then it
 * measures the memory that the runner needs, whatever a program prints.
 *
 * @returns the findings in Markdown, and whether all of them are as they should be
 */
export async function measureOutput(
  { seconds, blocks, gigabytes, notices }: OutputOptions,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<{ text: string; isShown: boolean }> {
  const { experiment } = overheadExperiment({ seconds, script: 'select-only' });
  const { programs, open } = await opener.prepare(experiment, {
    clients: maxClients(experiment),
    volumes: 'folders',
    kept: false,
    environment: process.env,
    say,
    warn: say,
    signal,
  });
  const { path: folder } = makeOwnedFolder();
  const place = await open();
  const rows: string[][] = [];
  let isShown = true;
  try {
    const target = targetAt(place, { variant: server });
    await withConnection(target, (client) => client.query(functionThatTells));
    const environment = { ...target.environment, PGOPTIONS: '-c client_min_messages=notice' };
    const options = [
      '--client=4',
      '--jobs=2',
      `--time=${seconds}`,
      '--progress=1',
      '--progress-timestamp',
      '--no-vacuum',
    ];
    const file = path.join(folder, 'tell.sql');
    const wordsFor = (script: string): string[] => [
      ...[path.join(programs, 'pgbench'), ...options, `--file=${script}`, connectionString(target)],
    ];
    for (const payload of notices) {
      writeFileSync(file, `SELECT tell(${payload});\n`);
      const run = (arm: Arm): Promise<number> => arm(wordsFor, file, environment);
      await run(alone);
      const pairs: { baseline: number; candidate: number }[] = [];
      for (let block = 0; block < blocks; block += 1) {
        const first = await run(block % 2 === 0 ? alone : underRunner);
        const second = await run(block % 2 === 0 ? underRunner : alone);
        const [baseline, candidate] = block % 2 === 0 ? [first, second] : [second, first];
        pairs.push({ baseline, candidate });
        say(`${payload} notices, block ${block + 1} of ${blocks}: ${(candidate / baseline).toFixed(4)}`);
        signal.throwIfAborted();
      }
      const { change, interval } = estimatePaired(pairs, 'ratio', { level, unit: 'block' });
      const isEquivalent = interval !== null && interval.low >= -equivalence && interval.high <= equivalence;
      isShown &&= isEquivalent;
      const ratio = (value: number | null | undefined): string =>
        value === null || value === undefined ? '–' : (1 + value).toFixed(4);
      rows.push([
        ...[String(payload), Math.round(Math.max(...pairs.map((pair) => pair.baseline))).toLocaleString('en')],
        ...[ratio(change), interval ? `${ratio(interval.low)} to ${ratio(interval.high)}` : '–'],
        isEquivalent ? 'within 1%' : 'not shown',
      ]);
    }
  } finally {
    await place.close({ keep: false });
    rmSync(folder, { recursive: true, force: true });
  }
  const memory = [await peakBytes('files', gigabytes), await peakBytes('pipe', gigabytes)];
  isShown &&= memory.every((bytes) => bytes < maxPeakBytes);
  const [filesMebibytes = NaN, pipeMebibytes = NaN] = memory.map((bytes) => Math.round(bytes / 1024 ** 2));
  const title = `TPS of pgbench under pgduet, divided by TPS of pgbench alone, ${blocks} blocks of ${seconds} s each:`;
  const head = ['notices a transaction', 'TPS alone, at most', 'ratio', 'interval of 95%', 'equivalent'];
  return {
    text: [
      markdownOf({ title, head, rows }),
      `Memory of the runner after ${gigabytes} GB of output: ${filesMebibytes} MiB with files, ${pipeMebibytes} MiB with a pipe; the limit is 200 MiB.`,
      isShown ? 'shown: running the load generator costs nothing here.' : 'not shown.',
    ].join('\n\n'),
    isShown,
  };
}

const functionThatTells = `CREATE FUNCTION tell(notices int) RETURNS void LANGUAGE plpgsql
  AS $$ BEGIN FOR i IN 1..notices LOOP RAISE NOTICE 'one more of them'; END LOOP; END $$`;

type Arm = (
  wordsFor: (script: string) => readonly string[],
  script: string,
  environment: Readonly<Record<string, string>>,
) => Promise<number>;

/**
 * Nothing of ours runs meanwhile. Linux shares processors among sessions, so pgbench has a session of its own, as under
 * the runner.
 */
const alone: Arm = async (wordsFor, script, environment) => {
  const [program = '', ...args] = wordsFor(script);
  const cwd = path.dirname(script);
  const files = outputFilesIn(cwd, 'alone');
  const [stdout, stderr] = [openSync(files.stdout, 'w'), openSync(files.stderr, 'w')];
  const env = { PATH: process.env['PATH'], LC_ALL: 'C', ...environment };
  try {
    await once(spawn(program, args, { cwd, env, stdio: ['ignore', stdout, stderr], detached: true }), 'close');
  } finally {
    for (const descriptor of [stdout, stderr]) closeSync(descriptor);
  }
  return tpsIn(readFileSync(files.stdout, 'utf8'));
};

const underRunner: Arm = (wordsFor, script, environment) => {
  const files = outputFilesIn(path.dirname(script), 'under-runner');
  const { signal } = new AbortController();
  return withClient({ reads: [script], signal }, async ({ pathOf, run }) => {
    const command = wordsFor(pathOf(script));
    const onStderrLine = (line: string): void => void parseProgressLine(line);
    const ended = await run(command, { environment, files, signal, onStderrLine });
    return tpsIn(requireSuccess(command, ended).stdout);
  });
};

function tpsIn(output: string): number {
  const tps = Number(/^tps = ([\d.]+) /m.exec(output)?.[1]);
  if (!(tps > 0)) throw new Error(`pgbench did not complete: ${output}`);
  return tps;
}

async function peakBytes(way: 'files' | 'pipe', gigabytes: number): Promise<number> {
  const program = path.resolve(import.meta.dirname, '../../bin/run.mjs');
  const flood = path.join(import.meta.dirname, 'flood.ts');
  const bytes = String(gigabytes * 1e9);
  const { stdout } = await runChecked([process.execPath, program, flood, way, bytes]);
  return (JSON.parse(stdout) as { peakBytes: number }).peakBytes;
}
