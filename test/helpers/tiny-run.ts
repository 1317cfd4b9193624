import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import type { Result } from '../../runner/contract/result.ts';
import { type CommandLine, commandLine, processesBelow } from './command-line.ts';

/** Two small variants; trials of two seconds. */
export const tinyExperiment = {
  name: 'tiny',
  question: 'Does it run?',
  common: {
    storage: { type: 'local', sizeGib: 1, iops: 400, logVolumeIops: 200 },
    engine: { parameters: { autovacuum: false, max_wal_size: '64MB' } },
  },
  variants: { one: {}, two: { dedicatedLogVolume: true } },
  baseline: 'one',
  workload: { tool: 'pgbench', scale: 1, clients: 2, threads: 1, durationSeconds: 2 },
  protocol: { blocks: 2, warmUpSeconds: 1 },
  profiles: { local: {}, long: { workload: { durationSeconds: 30, scale: 20 }, protocol: { warmUpSeconds: 30 } } },
};

/** A folder with that experiment in it, and with a temporary folder of its own, so that whatever a run leaves is told. */
export class TinyRun {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'local-run-'));
  readonly temporary = path.join(this.folder, 'tmp');

  constructor() {
    for (const folder of [path.join(this.folder, 'experiments'), this.temporary]) mkdirSync(folder);
    chmodSync(this.folder, 0o711);
    chmodSync(this.temporary, 0o1777);
    this.define(tinyExperiment);
  }

  define(experiment: unknown): void {
    writeFileSync(path.join(this.folder, 'experiments', 'tiny.yaml'), stringify(experiment));
  }

  run(...args: string[]): CommandLine {
    return this.runAs({}, ...args);
  }

  runAs(who: { uid?: number; gid?: number; program?: string }, ...args: string[]): CommandLine {
    return commandLine(args, { cwd: this.folder, temporary: this.temporary, ...who });
  }

  result(): Result {
    return JSON.parse(readFileSync(path.join(this.folder, 'results/tiny/latest/result.json'), 'utf8')) as Result;
  }

  /** No process, folder, mount or loop device. */
  expectNothingLeft(): void {
    expect(processesBelow(this.temporary)).toEqual([]);
    expect(readdirSync(this.temporary).filter((name) => name.startsWith('pgduet-'))).toEqual([]);
    expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(`${this.temporary}/`);
    expect(execFileSync('losetup', ['--list', '--output', 'BACK-FILE'], { encoding: 'utf8' })).not.toContain(
      `${this.temporary}/`,
    );
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

/** The process ids of a program, such as "postgres", that was started with a path below the folder. */
export function programsBelow(folder: string, program: string): number[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      const named = path.basename(args[0] ?? '') === program && args.some((arg) => arg.includes(`${folder}/`));
      return named ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });
}
