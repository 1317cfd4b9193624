import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import type { Result } from '../../runner/contract/result.ts';
import { median } from '../../runner/statistics/summaries.ts';
import { type CommandLine, commandLine } from '../helpers/processes/command-line.ts';

/**
 * `npm run lab -- soak [--trials N]`: a long run of very short trials on this machine, as many as hours of real ones. Watches what
 * the runner and its servers hold while it goes on: memory, open files, processes, and temporary files must not grow. The
 * runner keeps the figures of every trial until it writes the result, which is the growth that is allowed.
 */
const { values } = parseArgs({ options: { trials: { type: 'string', default: '3000' } } });

/** Figures of a trial that a result holds in memory. */
const allowedBytesPerTrial = 16 * 1024;
/** What a run holds at one moment and not at another, until it is collected. */
const garbageBytes = 16 * 2 ** 20;
const secondsBetweenLooks = 1;

interface Look {
  trials: number;
  /** Resident memory of the runner in bytes. */
  memoryBytes: number;
  openFiles: number;
  /** Of the runner: servers and what they start. */
  processes: number;
  /** Files and folders below the temporary folder, without those of the data folders. */
  temporaryFiles: number;
}

const experiment = {
  name: 'soak',
  question: 'Does a long run stay as small as a short one?',
  common: { storage: { type: 'local', sizeGib: 1 }, engine: { parameters: { autovacuum: false } } },
  // An experiment has at most 1,000 blocks.
  variants: { a: {}, 'a-again': {}, 'a-once-more': {} },
  baseline: 'a',
  workload: { tool: 'pgbench', scale: 1, clients: 1, threads: 1, transactions: 5 },
  protocol: { blocks: Math.ceil(Number(values.trials) / 3), warmUpSeconds: 0, repeats: 0, reset: [] },
  profiles: { local: {} },
};
const trials = Object.keys(experiment.variants).length * experiment.protocol.blocks;

const folder = mkdtempSync(path.join(tmpdir(), 'pgduet-soak-'));
const temporary = path.join(folder, 'tmp');
chmodSync(folder, 0o711);
mkdirSync(path.join(folder, 'experiments'));
mkdirSync(temporary);
chmodSync(temporary, 0o1777);
writeFileSync(path.join(folder, 'experiments/soak.yaml'), stringify(experiment));

const started = performance.now();
const run = commandLine(['load-run', 'soak', '--local', '--volumes', 'folders'], { cwd: folder, temporary });
const looks = await lookUntilItEnds(run);
const { exitCode, stderr } = await run.ended;
const result = JSON.parse(readFileSync(path.join(folder, 'results/soak/latest/result.json'), 'utf8')) as Result;
const problems = judge(looks, result.trials.length, exitCode);
show();
if (problems.length === 0) rmSync(folder, { recursive: true });
else {
  process.stdout.write(`${problems.join('\n')}\n${stderr.slice(-2000)}\nThe run is kept in ${folder}.\n`);
  process.exitCode = 1;
}

async function lookUntilItEnds({ process: child, ended }: CommandLine): Promise<Look[]> {
  const found: Look[] = [];
  const over = new AbortController();
  void ended.then(() => over.abort());
  while (!over.signal.aborted) {
    const now = look(child.pid ?? 0);
    // What it holds before the first trial and after the last is another matter.
    if (now && now.trials > 0 && now.trials < trials) found.push(now);
    if (now) process.stderr.write(`\r${now.trials} of ${trials} trials`);
    await sleep(secondsBetweenLooks * 1000);
  }
  process.stderr.write('\n');
  return found;
}

/** null if the runner ends just now. */
function look(pid: number): Look | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return {
      trials: countBelow(path.join(folder, 'results/soak/latest/trials'), 1),
      memoryBytes: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024,
      openFiles: readdirSync(`/proc/${pid}/fd`).length,
      processes: readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').length,
      temporaryFiles: countBelow(temporary, 3),
    };
  } catch {
    return null;
  }
}

function countBelow(parent: string, depth: number): number {
  try {
    const entries = readdirSync(parent, { withFileTypes: true });
    const below = entries
      .filter((entry) => depth > 1 && entry.isDirectory())
      .map(({ name }) => countBelow(path.join(parent, name), depth - 1));
    return below.reduce((sum, count) => sum + count, entries.length);
  } catch {
    return 0;
  }
}

function judge(all: readonly Look[], measured: number, exitCode: number | null): string[] {
  const { first, last } = thirds(all);
  const allowed = garbageBytes + allowedBytesPerTrial * (last.trials - first.trials);
  return [
    ...(exitCode === 0 || exitCode === 1 ? [] : [`The run ended with ${exitCode}.`]),
    ...(measured === trials ? [] : [`${measured} trials are in the result.`]),
    ...(last.memoryBytes - first.memoryBytes <= allowed ? [] : ['The memory of the runner grows with the run.']),
    ...(last.openFiles <= first.openFiles + 2 ? [] : ['Open files grow with the run.']),
    ...(last.processes <= first.processes ? [] : ['Processes grow with the run.']),
    ...(last.temporaryFiles <= first.temporaryFiles ? [] : ['Temporary files grow with the run.']),
  ];
}

/** The medians of the second and of the last third: in the first third, caches fill. */
function thirds(all: readonly Look[]): { first: Look; last: Look } {
  const third = Math.ceil(all.length / 3);
  const of = (part: readonly Look[]): Look => {
    const middle = (read: (one: Look) => number): number => median(part.map(read)) ?? NaN;
    return {
      trials: middle((one) => one.trials),
      memoryBytes: middle((one) => one.memoryBytes),
      openFiles: middle((one) => one.openFiles),
      processes: middle((one) => one.processes),
      temporaryFiles: middle((one) => one.temporaryFiles),
    };
  };
  return { first: of(all.slice(third, 2 * third)), last: of(all.slice(2 * third)) };
}

function show(): void {
  const minutes = (performance.now() - started) / 60_000;
  const { first, last } = thirds(looks);
  const line = (what: string, { trials: at, memoryBytes, openFiles, processes, temporaryFiles }: Look): string =>
    `${what}: trial ${at.toFixed(0)}, ${(memoryBytes / 2 ** 20).toFixed(0)} MiB, ${openFiles} open files, ${processes} processes, ${temporaryFiles} temporary files\n`;
  process.stdout.write(
    `${result.trials.length} trials in ${minutes.toFixed(1)} minutes, exit code ${exitCode}; medians\n` +
      line('second third', first) +
      line('last third', last),
  );
}
