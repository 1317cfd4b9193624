import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind, Target } from '../cases.ts';
import { fill } from '../machine/disks.ts';
import { disturbNetwork } from '../machine/network.ts';
import { type RunningProcess, signalAll } from '../machine/processes.ts';
import type { Injection } from '../plan.ts';
import type { Strike } from '../strike.ts';
import type { LocalRun } from './local-run.ts';

/** Hits the target once; null if it is not there at this instant, or if nothing met what was done. */
export async function strikeLocal(run: LocalRun, injection: Injection): Promise<Strike | null> {
  const { target, kind } = injection;
  if (kind === 'full') return fillDisk(run, target);
  if (target === 'runner' && kind === 'refuse') return startSecond(run);
  if (target === 'runner' && kind === 'vanish') return closeTerminal(run);
  if (kind === 'swap') return swapFolder(run, injection);
  if (target === 'pgbench' && kind === 'vanish') return removeLog(run);
  if (target === 'storage daemon' && kind === 'refuse') return removeMonitor(run, injection);
  if (kind === 'refuse' || kind === 'vanish') return strikeNetwork(run, kind);
  const found = find(run, injection);
  return found && disturb(found, kind, injection);
}

const programs: Partial<Record<Target, string>> = {
  server: 'postgres',
  pgbench: 'pgbench',
  'storage daemon': 'qemu-storage-daemon',
  nbdfuse: 'nbdfuse',
};

/** The part to hit, with all processes that belong to it; null if there is none now. */
function find(run: LocalRun, { target, draw }: Injection): RunningProcess[] | null {
  const all = run.processes();
  const own = all.filter(({ pid, program }) =>
    target === 'runner' ? pid === run.command.pid : program === programs[target],
  );
  const heads = own.filter(({ parent }) => !own.some(({ pid }) => pid === parent));
  if (heads.length === 0) return null;
  const head = draw.pick(heads);
  return [head, ...own.filter(({ parent }) => parent === head.pid)];
}

async function disturb(
  part: RunningProcess[],
  kind: Kind,
  { goesOn, draw, target }: Injection,
): Promise<Strike | null> {
  const [head] = part;
  const variant = /\/(one|two)-(?:data|log)/.exec([head?.folder, ...(head?.args ?? [])].join(' '))?.[1] ?? null;
  const about = (words: string): string => `${words} ${head?.program ?? ''} ${head?.pid ?? ''}`;
  switch (kind) {
    case 'KILL': {
      // A server may lose any of its processes.
      const hit = target === 'server' && draw.share() < 0.3 ? draw.pick(part) : head;
      if (!signalAll(hit ? [hit] : [], 'SIGKILL')) return null;
      return { what: `${about('killed')}${hit === head ? '' : `, its ${hit?.args[0] ?? ''}`}`, variant, lasting: true };
    }
    case 'slow':
      for (let pulse = 0; pulse < 20; pulse++) {
        if (!signalAll(part, 'SIGSTOP') && pulse === 0) return null;
        await sleep(120);
        signalAll(part, 'SIGCONT');
        await sleep(80);
      }
      return { what: about('slowed'), variant, lasting: false };
    default:
      if (!signalAll(part, 'SIGSTOP')) return null;
      if (!goesOn && target !== 'runner') return { what: about('stopped'), variant, lasting: true };
      await sleep(stopSeconds * 1000);
      signalAll(part, 'SIGCONT');
      return { what: about(`stopped for ${stopSeconds} s`), variant, lasting: false };
  }
}

/** Longer than the longest second without a transaction that a trial may have. */
export const stopSeconds = 2.5;

function fillDisk(run: LocalRun, target: Target): Strike {
  const folder = target === 'runner' || target === 'pgbench' ? run.results : run.temporary;
  fill(folder);
  return { what: `filled ${folder}`, variant: null, lasting: true };
}

/** The rule stays for good. It has hit something when a packet meets it. */
async function strikeNetwork({ network, command }: LocalRun, kind: 'refuse' | 'vanish'): Promise<Strike | null> {
  const met = disturbNetwork(network, kind === 'vanish' ? 'drop' : 'refuse');
  while (met() === 0) {
    if (command.hasEnded()) return null;
    await sleep(50);
  }
  return { what: `${kind} in the network of the run`, variant: null, lasting: true };
}

/** The first run stands still until the second one has its answer: otherwise, it might end in the meantime. */
async function startSecond(run: LocalRun): Promise<Strike | null> {
  const first = [{ pid: run.command.pid }];
  if (!signalAll(first, 'SIGSTOP')) return null;
  await sleep(untilReadMilliseconds);
  // Its last words, after which it gives up its lock.
  const isOver = run.command.stderr().includes('\n  Report   ');
  const second = isOver ? null : run.another('load-run', 'tiny', '--local', '--volumes', 'folders');
  while (second && !second.hasEnded() && !second.stderr().includes('create ...')) await sleep(20);
  signalAll(first, 'SIGCONT');
  return second && { what: 'started a second run', variant: null, lasting: false, second: await second.ended };
}

/** Until what a process wrote before it was stopped has been read. */
const untilReadMilliseconds = 50;

function closeTerminal(run: LocalRun): Strike | null {
  const { child } = run.command;
  child.stdout?.destroy();
  child.stderr?.destroy();
  if (!child.kill('SIGHUP')) return null;
  return { what: 'closed its terminal', variant: null, lasting: true };
}

function swapFolder(run: LocalRun, { draw }: Injection): Strike | null {
  const folder = run.latest();
  if (folder === null) return null;
  const [moved, other] = [`${folder}-moved`, path.join(run.folder, 'other')];
  const isLink = draw.share() < 0.5;
  mkdirSync(other);
  run.moveTo(moved);
  if (isLink) symlinkSync(other, folder);
  else renameSync(other, folder);
  return {
    what: `moved ${folder}, and laid ${isLink ? 'a link' : 'a folder'} there`,
    variant: null,
    lasting: true,
    intruded: () => readdirSync(folder, { recursive: true, encoding: 'utf8' }),
  };
}

function removeLog(run: LocalRun): Strike | null {
  const trials = path.join(run.latest() ?? '', 'trials');
  const logs = readdirSync(trials, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /pgbench_log\.[\d.]+$/.test(name),
  );
  const [log] = logs.sort().reverse();
  if (log === undefined) return null;
  rmSync(path.join(trials, log));
  return { what: `removed ${log}`, variant: null, lasting: true };
}

function removeMonitor(run: LocalRun, { draw }: Injection): Strike | null {
  const volumes = run.mounts().map((mountPoint) => path.dirname(mountPoint));
  const sockets = [...new Set(volumes)].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.qmp'))
      .map((name) => path.join(folder, name)),
  );
  if (sockets.length === 0) return null;
  const socket = draw.pick(sockets);
  rmSync(socket);
  return { what: `removed ${socket}`, variant: null, lasting: true };
}
