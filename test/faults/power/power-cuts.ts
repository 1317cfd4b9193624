import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { type Command, type Ended, pgduet, start } from '../command.ts';
import { type Draw, newDraw } from '../draw.ts';
import { readRunOnDisk } from '../oracle/run-on-disk.ts';
import { finishedTrials, isComplete, violationsOf } from '../planned-trials.ts';
import { processesBelow } from '../../helpers/processes/command-line.ts';
import { DiskAfterCuts } from './power-cut.ts';
import { diskBytes, openRecordedDisk } from './recorded-disk.ts';
import type { WriteLog } from './write-log.ts';

/** Trials of a second: whatever another program writes in them is still in memory when they are saved. */
const experiment = {
  name: 'tiny',
  question: 'Does it lose anything?',
  common: { storage: { type: 'local', sizeGib: 1 }, engine: { parameters: { autovacuum: false } } },
  variants: { one: {}, two: { engine: { parameters: { synchronous_commit: 'off' } } } },
  baseline: 'one',
  workload: { tool: 'pgbench', scale: 1, clients: 2, threads: 2, durationSeconds: 1 },
  protocol: { blocks: 2, warmUpSeconds: 0, repeats: 0, seed: 1, reset: ['restore'] },
  profiles: { local: {} },
};
const trialsOfBlock = Object.keys(experiment.variants).length;
/** In this share of all cases, only pgduet was killed: its machine still has every write. */
const shareOfKills = 0.25;
/** In this share, pgduet is killed once more while it goes on. */
const shareKilledAgain = 1 / 3;
/** So many cuts are drawn from one run: the next run writes at other moments. */
const cutsOfRun = 50;

export interface PowerCut {
  /** From 1. */
  number: number;
  /** How many of the operations of its run the disk had carried out, and how many there were. */
  operations: number;
  of: number;
  /** Trials that were whole on the disk, and trials that had begun besides. */
  whole: number;
  open: number;
  seconds: number;
  violations: string[];
}

export interface PowerCutOptions {
  seed: number;
  count: number;
  /** Numbers of the cuts that are carried out; all if it is absent. */
  only?: readonly number[] | undefined;
  atOnce: number;
  /** Compiled sources that run. */
  project: string;
  /** A short path; what violates something is kept here. */
  folder: string;
  say: (line: string) => void;
  /** Ends it, and whatever it runs. */
  signal: AbortSignal;
}

/**
 * Records the disk of local runs, with their results and the home of their user. Then cuts the power at moments that are
 * drawn among all states that the disk went through, and lets the run go on from each with `--resume`.
 */
export async function powerCuts(options: PowerCutOptions): Promise<PowerCut[]> {
  const { count, only, atOnce, signal } = options;
  const done: PowerCut[] = [];
  for (let first = 1; first <= count; first += cutsOfRun) {
    const all = Array.from({ length: Math.min(cutsOfRun, count - first + 1) }, (_, index) => first + index);
    const numbers = all.filter((number) => only?.includes(number) ?? true);
    if (numbers.length === 0 || signal.aborted) continue;
    const run = path.join(options.folder, `run-${first}`);
    const recorded = await recordRun(run, options);
    const cuts = numbers
      .map((number) => {
        const draw = newDraw(options.seed, number);
        return { number, draw, operations: recorded.from + Math.ceil(draw.share() * (recorded.to - recorded.from)) };
      })
      .sort((a, b) => a.operations - b.operations);
    const disk = new DiskAfterCuts(recorded.log, diskBytes);
    const work = async (): Promise<void> => {
      for (let cut = cuts.shift(); cut && !signal.aborted; cut = cuts.shift()) {
        const { number, operations, draw } = cut;
        const folder = path.join(options.folder, String(number));
        mkdirSync(folder, { mode: 0o711 });
        const shareKept = draw.share() < shareOfKills ? 1 : 0.5;
        disk.writeImage(operations, () => draw.share() < shareKept, path.join(folder, 'image'));
        const found = await goOnAfter(folder, draw, options);
        const one = { number, operations: operations - recorded.from, of: recorded.to - recorded.from, ...found };
        done.push(one);
        options.say(inWords(one));
        if (one.violations.length === 0) rmSync(folder, { recursive: true });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    recorded.log.close();
    rmSync(run, { recursive: true });
  }
  return done.sort((a, b) => a.number - b.number);
}

function inWords({ number, operations, of, whole, open, seconds, violations }: PowerCut): string {
  const trials = `${whole} trials whole, ${open} open`;
  const outcome = violations.length === 0 ? 'nothing lost' : violations.map((one) => `\n    VIOLATED: ${one}`).join('');
  return `${String(number).padStart(4)}  after ${operations} of ${of} operations, ${trials}, ${seconds.toFixed(0)} s: ${outcome}`;
}

/** A run to its end. @returns how many operations its disk had carried out when it began, and when it had ended */
async function recordRun(
  folder: string,
  options: PowerCutOptions,
): Promise<{ log: WriteLog; from: number; to: number }> {
  const disk = await openRecordedDisk(folder);
  try {
    mkdirSync(path.join(disk.mountPoint, 'experiments'));
    writeFileSync(path.join(disk.mountPoint, 'experiments', 'tiny.yaml'), stringify(experiment));
    execFileSync('sync', ['--file-system', disk.mountPoint]);
    const from = disk.log.readOn();
    const { exitCode, stderr } = await loadRun(options, { folder, disk: disk.mountPoint });
    if (exitCode !== 0) throw new Error(`an undisturbed run ended with ${exitCode ?? 'a signal'}:\n${stderr}`);
    return { log: disk.log, from, to: disk.log.readOn() };
  } finally {
    await disk.close();
  }
}

interface Folders {
  /** Of the servers and of everything else that no cut is to take away. */
  folder: string;
  /** The disk with the experiment, its results, and the user's home. */
  disk: string;
}

function loadRun(options: PowerCutOptions, folders: Folders, ...more: string[]): Promise<Ended> {
  return inFolders(options, folders, [...loadRunTiny, ...more]);
}

const loadRunTiny = ['load-run', 'tiny', '--local', '--volumes', 'folders'];

function startIn({ project }: PowerCutOptions, { folder, disk }: Folders, words: readonly string[]): Command {
  const temporary = path.join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  chmodSync(temporary, 0o1777);
  chmodSync(folder, 0o711);
  return start(pgduet(project, words), disk, { TMPDIR: temporary });
}

function inFolders(options: PowerCutOptions, folders: Folders, words: readonly string[]): Promise<Ended> {
  const { child, ended } = startIn(options, folders, words);
  const end = (): void => void child.kill();
  options.signal.addEventListener('abort', end);
  return ended.finally(() => options.signal.removeEventListener('abort', end));
}

/** Kills a start that goes on when it has finished some trials more, or before. The next one removes what this leaves. */
async function killAgain(options: PowerCutOptions, folders: Folders, results: string, draw: Draw): Promise<boolean> {
  const command = startIn(options, folders, [...loadRunTiny, '--resume']);
  const wanted = finishedTrials(results).size + Math.floor(draw.share() * trialsOfBlock);
  while (!command.hasEnded() && finishedTrials(results).size < wanted) await sleep(20);
  await Promise.race([command.ended, sleep(draw.share() * 2000)]);
  const isKilled = !command.hasEnded() && command.child.kill('SIGKILL');
  await command.ended;
  return isKilled;
}

/** Flips one bit of a finished trial, sees that the run is not gone on with, and puts the file back. */
async function flipBit(options: PowerCutOptions, folders: Folders, results: string, draw: Draw): Promise<string[]> {
  const name = `trials/${draw.pick([...finishedTrials(results).keys()])}/${draw.pick(['trial.json', 'series.parquet'])}`;
  const file = path.join(results, 'latest', name);
  const whole = readFileSync(file);
  const flipped = Buffer.from(whole);
  const byte = Math.floor(draw.share() * whole.length);
  flipped[byte] = (flipped[byte] ?? 0) ^ (1 << Math.floor(draw.share() * 8));
  writeFileSync(file, flipped);
  const { exitCode, stderr } = await loadRun(options, folders, '--resume');
  writeFileSync(file, whole);
  return exitCode === 2 && stderr.includes(name)
    ? []
    : [`with a bit flipped in byte ${byte} of ${name}, --resume ended with ${exitCode ?? 'a signal'}: ${stderr}`];
}

/** Mounts what a cut has left, looks at it, and lets the run go on. */
async function goOnAfter(
  folder: string,
  draw: Draw,
  options: PowerCutOptions,
): Promise<Pick<PowerCut, 'whole' | 'open' | 'seconds' | 'violations'>> {
  const startedAt = Date.now();
  const disk = path.join(folder, 'disk');
  mkdirSync(disk);
  // The image stays as the cut has left it, for whoever looks into a violation.
  const mounted = path.join(folder, 'mounted');
  execFileSync('cp', ['--sparse=always', path.join(folder, 'image'), mounted]);
  execFileSync('mount', ['-o', 'loop,noatime', mounted, disk]);
  const folders = { folder, disk };
  const results = path.join(disk, 'results', experiment.name);
  const violations: string[] = [];
  let [whole, open] = [0, 0];
  try {
    const latest = existsSync(path.join(results, 'latest')) ? realpathSync(path.join(results, 'latest')) : null;
    violations.push(...readRunOnDisk(latest).damaged.map((file) => `before it went on: ${file}`));
    let before = finishedTrials(results);
    whole = before.size;
    open = begunTrials(latest).filter((id) => !before.has(id)).length;
    if (open > 1) violations.push(`${open} trials are lost, and not only the one under way`);
    const isBegun = latest !== null && existsSync(path.join(latest, 'run.json'));
    if (whole > 0) violations.push(...(await flipBit(options, folders, results, draw)));
    const isKilledAgain =
      isBegun && draw.share() < shareKilledAgain && (await killAgain(options, folders, results, draw));
    if (isKilledAgain) {
      violations.push(
        ...[...before].flatMap(([id, text]) => (finishedTrials(results).get(id) === text ? [] : [`${id} is lost`])),
      );
      before = finishedTrials(results);
    }
    const wasComplete = isComplete(results);
    const { exitCode, stderr } = await loadRun(options, folders, ...(isBegun ? ['--resume'] : []));
    if (exitCode !== (wasComplete ? 2 : 0)) violations.push(`it ended with ${exitCode ?? 'a signal'}: ${stderr}`);
    const after = violationsOf(results, experiment, before);
    violations.push(...after.violations);
    const cutOff = open + (isKilledAgain ? 1 : 0);
    if (after.cutOff > cutOff) violations.push(`${after.cutOff} trials count as cut off, and ${cutOff} were under way`);
    violations.push(...processesBelow(path.join(folder, 'tmp')).map((process) => `this process is left: ${process}`));
    const verified = await inFolders(options, folders, ['verify', 'results/tiny/latest']);
    if (verified.exitCode !== 0) violations.push(`verify does not agree: ${verified.stdout}${verified.stderr}`);
  } catch (error) {
    violations.push(String(error));
  } finally {
    execFileSync('umount', [disk]);
  }
  return { whole, open, seconds: (Date.now() - startedAt) / 1000, violations };
}

function begunTrials(latest: string | null): string[] {
  const trials = path.join(latest ?? '', 'trials');
  if (latest === null || !existsSync(trials)) return [];
  return readdirSync(trials).filter((id) => existsSync(path.join(trials, id, 'trial.json')));
}
