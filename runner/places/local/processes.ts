import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

const onLinux = existsSync('/proc/self/stat');

/** When a process started, as a text that no later process of the same id has; null where there is no such process. */
export function processStart(pid: number): string | null {
  if (!onLinux) return ps(['-o', 'lstart=', '-p', String(pid)]).trim() || null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may hold anything; field 22, counted from the state behind it, is the start in ticks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return null;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}:${fields[19] ?? ''}`;
  } catch {
    return null;
  }
}

/** PostgreSQL's programs, and the processes of a server, which call themselves "postgres: checkpointer" and the like. */
const postgresProgram = /^(\S*\/)?(postgres|initdb|pgbench)(:|\s|$)/;

/** PostgreSQL processes of a run's folder: those that work in it, or whose command line names it. */
export function postgresProcessesIn(folder: string): number[] {
  const inFolder = (text: string): boolean => text.includes(`${folder}/`) || text.endsWith(folder);
  if (!onLinux) {
    return ps(['-axo', 'pid=,args='])
      .split('\n')
      .map((line) => /^\s*(\d+)\s+(.*)$/.exec(line))
      .filter((match) => match !== null && postgresProgram.test(match[2] ?? '') && inFolder(match[2] ?? ''))
      .map((match) => Number(match?.[1]));
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trimEnd();
        return postgresProgram.test(args) && (inFolder(args) || inFolder(readlinkSync(`/proc/${pid}/cwd`)));
      } catch {
        // It ended while we looked, or it is not ours to look at.
        return false;
      }
    })
    .map(Number);
}

function ps(args: string[]): string {
  return spawnSync('ps', args, { encoding: 'utf8' }).stdout;
}
