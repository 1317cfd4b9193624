import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { stringify } from 'yaml';
import { commandLine, processesBelow } from '../helpers/processes/command-line.ts';
import { finishedTrials, isComplete, violationsOf } from './planned-trials.ts';

/** Six trials of one second, without a warm-up and without repeats: what is planned is what is to be there. */
const experiment = {
  name: 'tiny',
  question: 'Does it go on?',
  common: { storage: { type: 'local', sizeGib: 1 }, engine: { parameters: { autovacuum: false } } },
  variants: { one: {}, two: { engine: { parameters: { synchronous_commit: 'off' } } } },
  baseline: 'one',
  workload: { tool: 'pgbench', scale: 1, clients: 2, threads: 1, durationSeconds: 1 },
  protocol: { blocks: 3, warmUpSeconds: 0, repeats: 0, seed: 1, reset: ['restore'] },
  profiles: { local: {} },
};
/** A run is killed once more while it goes on in this share of all cases. */
const shareKilledTwice = 1 / 3;

const plannedTrials = experiment.protocol.blocks * Object.keys(experiment.variants).length;

/**
 * An instant that is drawn: so many seconds after so many trials of the run had finished. Starting and loading take longer
 * than all trials, so that a time from the beginning would seldom hit one.
 */
interface Instant {
  afterTrials: number;
  seconds: number;
}

export interface KilledRun {
  number: number;
  /** When each start was killed, in seconds from its beginning, and how many trials of the run had finished by then. */
  kills: { seconds: number; finished: number }[];
  /** Attempts that were cut off, and stay on record. */
  cutOff: number;
  violations: string[];
}

/**
 * Kills local runs with SIGKILL at random instants, lets each go on with `--resume`, and looks whether each ends with exactly
 * the planned trials. Before it goes on, one bit of a finished trial is flipped: then it must not go on. It needs PostgreSQL on this machine, and takes about twice the time of a run for each.
 *
 * @param count number of runs
 * @param seed of the instants
 * @param say receives a line about each run
 */
export async function killAndResume({
  count,
  seed,
  say,
}: {
  count: number;
  seed: number;
  say: (line: string) => void;
}): Promise<KilledRun[]> {
  const random = xoroshiro128plus(seed);
  const share = (): number => uniformFloat64(random);
  const workshop = new Workshop();
  try {
    const wholeSeconds = await workshop.undisturbedSeconds();
    say(`An undisturbed run takes ${wholeSeconds.toFixed(1)} s.`);
    const runs: KilledRun[] = [];
    for (let number = 1; number <= count; number++) {
      const instant = (): Instant => ({
        afterTrials: Math.floor(share() * (plannedTrials + 1)),
        seconds: (share() * wholeSeconds) / plannedTrials,
      });
      const instants = [instant(), ...(share() < shareKilledTwice ? [instant()] : [])];
      const run = await workshop.killedRun(number, instants, share);
      say(inWords(run));
      runs.push(run);
    }
    return runs;
  } finally {
    workshop.remove();
  }
}

function inWords({ number, kills, cutOff, violations }: KilledRun): string {
  const when =
    kills.map(({ seconds, finished }) => `${seconds.toFixed(2)} s (${finished} trials)`).join(' and ') || 'its end';
  const outcome = violations.length === 0 ? 'as planned' : violations.map((one) => `\n  VIOLATED: ${one}`).join('');
  return `run ${number}, killed after ${when}, ${cutOff} cut off: ${outcome}`;
}

/** A folder with the experiment, and with a temporary folder of its own. */
class Workshop {
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'kill-and-resume-'));
  private readonly temporary = path.join(this.folder, 'tmp');

  constructor() {
    for (const folder of [path.join(this.folder, 'experiments'), this.temporary]) mkdirSync(folder);
    chmodSync(this.folder, 0o711);
    chmodSync(this.temporary, 0o1777);
    writeFileSync(path.join(this.folder, 'experiments', 'tiny.yaml'), stringify(experiment));
  }

  async undisturbedSeconds(): Promise<number> {
    const start = Date.now();
    const { exitCode, stderr } = await this.start('undisturbed').ended;
    if (exitCode !== 0) throw new Error(`an undisturbed run ended with ${exitCode ?? 'a signal'}:\n${stderr}`);
    return (Date.now() - start) / 1000;
  }

  async killedRun(number: number, instants: readonly Instant[], share: () => number): Promise<KilledRun> {
    const out = `results-${number}`;
    const results = path.join(this.folder, out, experiment.name);
    const kills: KilledRun['kills'] = [];
    const violations: string[] = [];
    let before = finishedTrials(results);
    for (const { afterTrials, seconds } of instants) {
      const start = Date.now();
      const { process: runner, ended } = this.start(out, ...this.resumeArguments(results));
      const isRunning = (): boolean => runner.exitCode === null;
      while (isRunning() && finishedTrials(results).size < afterTrials) await sleep(20);
      await Promise.race([ended, sleep(seconds * 1000)]);
      if (!isRunning()) continue;
      runner.kill('SIGKILL');
      await ended;
      before = finishedTrials(results);
      kills.push({ seconds: (Date.now() - start) / 1000, finished: before.size });
      if (before.size > 0) violations.push(...(await this.flipBit(out, results, [...before.keys()], share)));
    }
    const wasComplete = isComplete(results);
    const { exitCode, stderr } = await this.start(out, ...this.resumeArguments(results)).ended;
    if (exitCode !== (wasComplete ? 2 : 0)) violations.push(`the last start ended with ${exitCode ?? ''}: ${stderr}`);
    const found = violationsOf(results, experiment, before);
    violations.push(...found.violations, ...this.leftovers());
    return { number, kills, cutOff: found.cutOff, violations };
  }

  /** Flips one bit of a finished trial, sees that the run is not gone on with, and puts the file back. */
  private async flipBit(out: string, results: string, ids: readonly string[], share: () => number): Promise<string[]> {
    const drawn = (end: number): number => Math.floor(share() * end);
    const name = `trials/${ids[drawn(ids.length)] ?? ''}/${share() < 0.5 ? 'trial.json' : 'series.parquet'}`;
    const file = path.join(results, 'latest', name);
    const whole = readFileSync(file);
    const flipped = Buffer.from(whole);
    const byte = drawn(whole.length);
    flipped[byte] = (flipped[byte] ?? 0) ^ (1 << drawn(8));
    writeFileSync(file, flipped);
    const { exitCode, stderr } = await this.start(out, '--resume').ended;
    writeFileSync(file, whole);
    const isNamed = stderr.replace(/\s+/g, '').includes(name);
    if (exitCode === 2 && isNamed) return [];
    return [`with a bit flipped in byte ${byte} of ${name}, --resume ended with ${exitCode ?? 'a signal'}: ${stderr}`];
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  private start(out: string, ...more: string[]) {
    const words = ['load-run', experiment.name, '--local', '--volumes', 'folders', '--out', out, ...more];
    return commandLine(words, { cwd: this.folder, temporary: this.temporary });
  }

  /** A run that was killed before it left a record cannot be gone on with, and a new one begins. */
  private resumeArguments(results: string): string[] {
    return existsSync(path.join(results, 'latest', 'run.json')) ? ['--resume'] : [];
  }

  private leftovers(): string[] {
    return [
      ...processesBelow(this.temporary).map((process) => `this process is left: ${process}`),
      ...readdirSync(this.temporary)
        .filter((name) => name.startsWith('pgduet-'))
        .map((name) => `this folder is left: ${name}`),
    ];
  }
}
