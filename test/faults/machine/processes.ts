import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';

export interface RunningProcess {
  pid: number;
  parent: number;
  /** Name of its program, such as `postgres`. */
  program: string;
  args: readonly string[];
  /** Its working folder; empty if it has none any more. */
  folder: string;
}

/** Processes in a network namespace, which a run has for itself: no process of it can leave, whoever its parent is. */
export function processesInNamespace(namespace: string): RunningProcess[] {
  return allProcesses((pid) => readlinkSync(`/proc/${pid}/ns/net`) === namespace);
}

/** Processes whose working folder, command line or temporary folder is below a folder. */
export function processesBelow(folder: string): RunningProcess[] {
  return allProcesses((pid) => {
    const texts = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8'));
    return [...texts, readlinkSync(`/proc/${pid}/cwd`)].some((text) => text.includes(`${folder}/`));
  });
}

function allProcesses(isMeant: (pid: string) => boolean): RunningProcess[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    try {
      return isMeant(pid) ? [readProcess(pid)] : [];
    } catch {
      // It ended in the meantime.
      return [];
    }
  });
}

function readProcess(pid: string): RunningProcess {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  if (/^State:\s+[ZX]/m.test(status)) throw new Error('it has ended');
  const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  return {
    pid: Number(pid),
    parent: Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]),
    // Processes of a server call themselves "postgres: checkpointer" and the like.
    program: path.basename((args[0] ?? '').split(': ')[0] ?? ''),
    args,
    folder: readlinkSync(`/proc/${pid}/cwd`),
  };
}

/**
 * Sends a signal to what is still there.
 *
 * @returns whether anything was
 */
export function signalAll(processes: readonly Pick<RunningProcess, 'pid'>[], signal: NodeJS.Signals): boolean {
  const reached = processes.filter(({ pid }) => {
    try {
      return process.kill(pid, signal);
    } catch {
      // It ended in the meantime.
      return false;
    }
  });
  return reached.length > 0;
}
