import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CommandResult, runChecked, runCommand } from '../../../runner/process/run-command.ts';
import { makeRootFileSystem, type RootFileSystemOptions } from './root-file-system.ts';

/** A machine that boots the real systemd in namespaces of its own. It shares the network with the rehearsal. */
export interface Machine {
  /** Path of its root file system, so that tests can look into it. */
  root: string;
  /** Starts the machine, for the first time or again. */
  boot(): Promise<void>;
  isOn(): boolean;
  /** Ends the machine at once, as a power failure does. */
  crash(): Promise<void>;
  /** Shuts the machine down in order: every service is stopped as its unit says. */
  powerOff(): Promise<void>;
  /** Runs a command on the machine as root, whatever its exit code. */
  run(...command: string[]): Promise<CommandResult>;
  /** Switches the machine off if it still runs, and unmounts its file system. */
  remove(): Promise<void>;
}

/** Environment of a session on a driver. It has nothing of ours. */
const sessionEnvironment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin', LANG: 'C.UTF-8' };
const bootLimitSeconds = 20;
/** More than the unit's time limit for its stop. */
const powerOffLimitSeconds = 240;

export async function makeMachine(options: RootFileSystemOptions): Promise<Machine> {
  const root = await makeRootFileSystem(options);
  let running: { process: ChildProcess; init: number } | null = null;

  const run = (...command: string[]): Promise<CommandResult> => {
    if (!running) throw new Error('The machine is off.');
    const inside = ['nsenter', '--target', `${running.init}`, '--all', '--root', '--wd'];
    return runCommand([...inside, ...command], { environment: sessionEnvironment });
  };
  const end = async (signal: string): Promise<void> => {
    if (!running) return;
    const { process, init } = running;
    const exited = once(process, 'exit');
    await runChecked(['kill', '--signal', signal, `${init}`]);
    const ended = await Promise.race([
      exited.then(() => true),
      sleep(powerOffLimitSeconds * 1000, false, { ref: false }),
    ]);
    if (!ended) throw new Error(`The machine was still on ${powerOffLimitSeconds} seconds after ${signal}.`);
    running = null;
  };
  return {
    root,
    run,
    async boot() {
      const console = openSync(path.join(options.folder, 'console.log'), 'a');
      const namespaces = ['--mount', '--pid', '--cgroup', '--uts', '--ipc', '--propagation', 'private'];
      const boot = ['/bin/sh', path.join(import.meta.dirname, 'boot.sh'), root];
      // systemd uses the group in which it starts as its own.
      const group = path.join(process.env['REHEARSE_CONTROL_GROUP'] ?? '', path.basename(options.folder));
      mkdirSync(group, { recursive: true });
      const enter = ['-c', 'echo 0 >"$0/cgroup.procs" && exec unshare "$@"', group];
      const child = spawn('/bin/sh', [...enter, ...namespaces, '--fork', '--kill-child', ...boot], {
        stdio: ['ignore', console, console],
      });
      running = { process: child, init: await firstChild(child) };
      await untilBooted(run);
    },
    isOn: () => running !== null,
    crash: () => end('KILL'),
    // The signal by which systemd, as the init of a container, powers off.
    powerOff: () => end('RTMIN+4'),
    async remove() {
      await end('KILL');
      await runChecked(['umount', '--recursive', root]);
    },
  };
}

async function firstChild({ pid = 0 }: ChildProcess): Promise<number> {
  for (;;) {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    if (child) return Number(child);
    await sleep(20);
  }
}

async function untilBooted(run: Machine['run']): Promise<void> {
  const deadline = Date.now() + bootLimitSeconds * 1000;
  for (;;) {
    const { exitCode, stderr } = await run('systemctl', 'is-active', '--quiet', 'sysinit.target');
    if (exitCode === 0) return;
    if (Date.now() > deadline) throw new Error(`The machine did not boot in ${bootLimitSeconds} seconds: ${stderr}`);
    await sleep(100);
  }
}
