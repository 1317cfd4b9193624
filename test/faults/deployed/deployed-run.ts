import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { type Command, pgduet, start } from '../command.ts';
import { processesBelow, type RunningProcess, signalAll } from '../machine/processes.ts';
import type { RunUnderTest } from '../run-under-test.ts';
import { deployedExperiment } from './experiment.ts';
import type { Account } from './account.ts';
import { cuttableDisk, ordinaryDisk, type ResultsDisk, smallDisk } from './results-disk.ts';

/** Exit codes after which systemd starts the driver's run again (lib/driver/pgduet.service). */
const restarted = [3, 70];

/** A run as a driver carries it out, on what it finds in an account. */
export class DeployedRun implements RunUnderTest {
  readonly folder: string;
  readonly temporary: string;
  readonly results: string;
  readonly account: Account;
  command: Command;
  private readonly project: string;
  private readonly disk: ResultsDisk;
  private readonly startedAt = Date.now();

  static async begin(
    project: string,
    folder: string,
    account: Account,
    kind: 'ordinary' | 'small' | 'cuttable',
  ): Promise<DeployedRun> {
    const results = path.join(folder, 'results');
    for (const one of [folder, path.join(folder, 'tmp'), results]) mkdirSync(one, { mode: 0o755 });
    const disk =
      kind === 'ordinary'
        ? ordinaryDisk
        : kind === 'small'
          ? smallDisk(results)
          : await cuttableDisk(results, `${folder}-disk`);
    return new DeployedRun(project, folder, account, disk);
  }

  private constructor(project: string, folder: string, account: Account, disk: ResultsDisk) {
    this.project = project;
    this.folder = folder;
    this.temporary = path.join(folder, 'tmp');
    this.results = path.join(folder, 'results');
    this.account = account;
    this.disk = disk;
    account.restore();
    account.objects.clear();
    writeFileSync(path.join(folder, 'tiny.yaml'), stringify(deployedExperiment(account.version)));
    writeFileSync(path.join(folder, 'binding.json'), JSON.stringify(account.binding));
    this.command = this.start();
  }

  /** As the unit of the driver does. */
  private start(): Command {
    const args = ['load-run', 'tiny.yaml', '--binding', 'binding.json', '--resume', '--out', 'results'];
    return start(pgduet(this.project, args), this.folder, this.account.environment());
  }

  /** Starts it again after the end that systemd would start it again after. @returns false if it has ended for good */
  startAgain(): boolean {
    const { exitCode } = this.command.child;
    if (exitCode !== null && !restarted.includes(exitCode)) return false;
    this.command = this.start();
    return true;
  }

  /** Ends all of it at once, and leaves of its disk what a power cut leaves. @returns false if nothing ran */
  async losePower(isKept: () => boolean): Promise<boolean> {
    if (!signalAll(this.processes(), 'SIGKILL')) return false;
    while (this.processes().length > 0) await sleep(10);
    await this.disk.losePower(isKept);
    return true;
  }

  processes(): RunningProcess[] {
    return processesBelow(this.folder);
  }

  mounts(): string[] {
    return [];
  }

  latest(): string | null {
    const folder = path.join(this.results, 'tiny', 'latest');
    return existsSync(folder) ? folder : null;
  }

  another(...args: string[]): Command {
    return start(pgduet(this.project, args), this.folder);
  }

  ageSeconds(): number {
    return (Date.now() - this.startedAt) / 1000;
  }

  async close({ keep }: { keep: boolean }): Promise<void> {
    for (const signal of ['SIGCONT', 'SIGKILL'] as const) signalAll(this.processes(), signal);
    this.account.restore();
    if (keep) return;
    await this.disk.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
