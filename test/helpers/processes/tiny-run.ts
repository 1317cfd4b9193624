import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { stringify } from 'yaml';
import type { Result } from '../../../runner/contract/result.ts';
import { type CommandLine, commandLine, launcher, processesBelow } from './command-line.ts';

const halfMinute = { workload: { durationSeconds: 30 }, protocol: { warmUpSeconds: 30 } };

/** Two small variants with trials of two seconds; in other profiles there is time to disturb a trial, or a load. */
export const tinyExperiment = {
  name: 'tiny',
  question: 'Does it run?',
  common: {
    storage: { type: 'local', sizeGib: 1, iops: 400, logVolumeIops: 200 },
    engine: { parameters: { autovacuum: false, max_wal_size: '64MB' } },
  },
  variants: { one: {}, two: { dedicatedLogVolume: true } },
  baseline: 'one',
  // At a rate that leaves the processors to the tests that run beside it.
  workload: { tool: 'pgbench', scale: 1, clients: 2, threads: 1, durationSeconds: 2, rate: 40 },
  // Without repeats: other work on this machine, such as that of other tests, must not make a run longer.
  protocol: { blocks: 2, warmUpSeconds: 1, repeats: 0 },
  profiles: {
    local: {},
    'long-trials': halfMinute,
    'long-load': { ...halfMinute, workload: { durationSeconds: 30, scale: 20 } },
  },
};

/** Half of its trials, for tests that ask how a run ends. */
export const oneBlock = { ...tinyExperiment, protocol: { ...tinyExperiment.protocol, blocks: 1 } };

/** A run on local servers, in plain folders. */
export const onFolders = ['--local', '--volumes', 'folders'];

/** A folder with that experiment, and with a temporary folder of its own, so that tests can see what a run leaves. */
export class TinyRun {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'local-run-'));
  readonly temporary: string;
  readonly #begun: CommandLine[] = [];

  /** @param temporary name of its temporary folder */
  constructor(temporary = 'tmp') {
    this.temporary = path.join(this.folder, temporary);
    for (const folder of [path.join(this.folder, 'experiments'), this.temporary]) mkdirSync(folder);
    chmodSync(this.folder, 0o711);
    chmodSync(this.temporary, 0o1777);
    this.define(tinyExperiment);
  }

  define(experiment: unknown): void {
    writeFileSync(path.join(this.folder, 'experiments', 'tiny.yaml'), stringify(experiment));
  }

  /** Writes a file beside the experiment. */
  put(name: string, content: string | Buffer): void {
    const file = path.join(this.folder, 'experiments', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  run(...args: string[]): CommandLine {
    return this.runAs({}, ...args);
  }

  /** Measures it on local servers in plain folders. */
  loadRun(...options: string[]): CommandLine {
    return this.run('load-run', 'tiny', ...onFolders, ...options);
  }

  /** Measures it to a good end, after which nothing is left. */
  async measured(...options: string[]): Promise<Result & { text: string }> {
    const { exitCode, stderr, text } = await this.loadRun(...options).ended;
    expect(exitCode, stderr).toBe(0);
    this.expectNothingLeft();
    return { ...this.result(), text };
  }

  /** Runs it to a refusal, after which nothing is left, and returns its words. */
  async refused(...options: string[]): Promise<string> {
    const { exitCode, stderr, text } = await this.loadRun(...options).ended;
    expect(exitCode, stderr).toBe(2);
    this.expectNothingLeft();
    return text;
  }

  runAs(who: Partial<Parameters<typeof commandLine>[1]>, ...args: string[]): CommandLine {
    const begun = commandLine(args, { cwd: this.folder, temporary: this.temporary, ...who });
    this.#begun.push(begun);
    return begun;
  }

  result(): Result {
    return JSON.parse(readFileSync(path.join(this.folder, 'results/tiny/latest/result.json'), 'utf8')) as Result;
  }

  /** Resolves when pgbench is loading or measuring one of its servers, and does not only try out a script. */
  async underLoad(): Promise<void> {
    const works = (cwd: string): boolean => cwd.startsWith(`${this.folder}/`) && path.basename(cwd) !== 'try-out';
    await vi.waitFor(() => expect(programsWhere(works, 'pgbench')).not.toEqual([]), {
      timeout: 60_000,
      // Each look reads all of /proc: fifty a second would take a third of a processor from the run.
      interval: 100,
    });
  }

  /** Expects that no process, folder, mount or loop device is left. */
  expectNothingLeft(): void {
    expect(processesBelow(this.temporary)).toEqual([]);
    expect(readdirSync(this.temporary).filter((name) => name.startsWith('pgduet-'))).toEqual([]);
    expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(`${this.temporary}/`);
    expect(execFileSync('losetup', ['--list', '--output', 'BACK-FILE'], { encoding: 'utf8' })).not.toContain(
      `${this.temporary}/`,
    );
  }

  /**
   * Removes the folder. A test that failed may have left a run in it, with volumes whose daemons it stopped: `clean` ends it
   * first, since what it goes by is in the folder.
   */
  remove(): void {
    for (const { process: begun } of this.#begun) begun.kill('SIGKILL');
    try {
      if (processesBelow(this.temporary).length > 0) {
        execFileSync(process.execPath, [launcher, 'clean'], {
          env: { PATH: process.env['PATH'], HOME: this.temporary, TMPDIR: this.temporary },
          stdio: 'ignore',
          timeout: 120_000,
        });
      }
    } finally {
      rmSync(this.folder, { recursive: true });
    }
  }
}

/** A run for the test that calls this, which goes with it. @param temporary name of its temporary folder */
export function tinyRun(temporary?: string): TinyRun {
  const run = new TinyRun(temporary);
  onTestFinished(() => run.remove());
  return run;
}

/** For tests that run side by side: each has a run of this experiment, which goes with it. */
export function testWithTiny(experiment: unknown = tinyExperiment) {
  return test.extend<{ tiny: TinyRun }>({
    // eslint-disable-next-line no-empty-pattern
    tiny: async ({}, use) => {
      const tiny = new TinyRun();
      tiny.define(experiment);
      await use(tiny);
      tiny.remove();
    },
  });
}

/**
 * Ids of the processes of a program, such as "postgres", that were started with a path below the folder. A process that was
 * just forked still has the arguments of its parent, and is left out.
 */
export function programsBelow(folder: string, program: string): number[] {
  const pids = processesOf(program, (_, args) => args.some((arg) => arg.includes(`${folder}/`)));
  return pids.filter((pid) => !pids.includes(parentOf(pid)));
}

/** Ids of the processes of a program whose working folder is below this folder. */
export function programsIn(folder: string, program: string): number[] {
  return programsWhere((cwd) => cwd.startsWith(`${folder}/`), program);
}

function programsWhere(isMeant: (workingFolder: string) => boolean, program: string): number[] {
  return processesOf(program, (pid) => isMeant(readlinkSync(`/proc/${pid}/cwd`)));
}

/** NaN if the process has ended. */
function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return NaN;
  }
}

function processesOf(program: string, isMeant: (pid: string, args: readonly string[]) => boolean): number[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return path.basename(args[0] ?? '') === program && isMeant(pid, args) ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });
}
