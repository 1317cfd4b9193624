import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { type Command, pgduet, start } from '../command.ts';
import { detach, loopDevicesBelow, mountSmallDisk, mountsBelow, unmount } from '../machine/disks.ts';
import { processesInNamespace, type RunningProcess, signalAll } from '../machine/processes.ts';
import type { RunUnderTest } from '../run-under-test.ts';
import { tinyExperiment } from './experiment.ts';

/**
 * A run in a folder, with a temporary folder and in a network of its own. All of its processes, mounts and files can be told
 * from those of others by that.
 */
export class LocalRun implements RunUnderTest {
  readonly temporary: string;
  readonly results: string;
  readonly command: Command;
  readonly folder: string;
  private readonly project: string;
  private readonly namespace: { name: string; handle: number };
  private readonly disks: readonly string[];
  private readonly startedAt = Date.now();
  private moved: string | null = null;

  private constructor(run: {
    folder: string;
    project: string;
    command: Command;
    namespace: { name: string; handle: number };
    disks: readonly string[];
  }) {
    this.folder = run.folder;
    this.project = run.project;
    this.temporary = path.join(run.folder, 'tmp');
    this.results = path.join(run.folder, 'results');
    this.command = run.command;
    this.namespace = run.namespace;
    this.disks = run.disks;
  }

  /**
   * @param project folder of the sources that run
   * @param folder does not exist yet; its path is short, since it is part of names of sockets
   */
  static async start(
    project: string,
    folder: string,
    { volumes, small }: { volumes: 'folders' | 'limited'; small: 'tmp' | 'results' | null },
  ): Promise<LocalRun> {
    for (const one of [folder, ...['experiments', 'tmp', 'results'].map((name) => path.join(folder, name))]) {
      mkdirSync(one, { mode: 0o755 });
    }
    chmodSync(path.join(folder, 'tmp'), 0o1777);
    writeFileSync(path.join(folder, 'experiments', 'tiny.yaml'), stringify(tinyExperiment));
    const disks = small === null ? [] : [path.join(folder, small)];
    for (const disk of disks) mountSmallDisk(disk, small === 'tmp' ? 1024 : 64, '1777');
    const inOwnNetwork = ['--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
    const loadRun = pgduet(project, ['load-run', 'tiny', '--local', '--volumes', volumes]);
    const command = start(['unshare', ...inOwnNetwork, ...loadRun], folder);
    const file = `/proc/${command.pid}/ns/net`;
    const own = readlinkSync('/proc/self/ns/net');
    while (!command.hasEnded() && readlinkSync(file) === own) await sleep(5);
    // While the file is open, no other namespace gets its name.
    const namespace = { name: readlinkSync(file), handle: openSync(file, 'r') };
    return new LocalRun({ folder, project, command, namespace, disks });
  }

  /** File of its network, also after its end. */
  get network(): string {
    return `/proc/${process.pid}/fd/${this.namespace.handle}`;
  }

  processes(): RunningProcess[] {
    return processesInNamespace(this.namespace.name);
  }

  /** Another command in the same folder, from outside the run's network. */
  another(...args: string[]): Command {
    return start(pgduet(this.project, args), this.folder);
  }

  /** Folder of what it has measured; null if there is none yet. */
  latest(): string | null {
    const folder = path.join(this.results, 'tiny', 'latest');
    return this.moved ?? (existsSync(folder) ? realpathSync(folder) : null);
  }

  /** Moves that folder. */
  moveTo(folder: string): void {
    renameSync(this.latest() ?? '', folder);
    this.moved = folder;
  }

  mounts(): string[] {
    return mountsBelow(this.folder).filter((mountPoint) => !this.disks.includes(mountPoint));
  }

  ageSeconds(): number {
    return (Date.now() - this.startedAt) / 1000;
  }

  /** Ends and removes whatever the run has left. If its folder is to be looked at, that stays. */
  close({ keep }: { keep: boolean }): Promise<void> {
    for (const signal of ['SIGCONT', 'SIGKILL'] as const) signalAll(this.processes(), signal);
    for (const mountPoint of this.mounts().reverse()) unmount(mountPoint);
    for (const device of loopDevicesBelow(this.folder)) detach(device);
    closeSync(this.namespace.handle);
    if (!keep) {
      for (const disk of this.disks) unmount(disk);
      rmSync(this.folder, { recursive: true, force: true });
    }
    return Promise.resolve();
  }
}
