import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

const onLinux = existsSync('/proc/self/stat');

/**
 * Matches PostgreSQL's programs, and the processes of a server, which call themselves "postgres: checkpointer" and the
 * like.
 */
const postgresProgram = /^(\S*\/)?(postgres|initdb|pgbench)(:|\s|$)/;

/** Ids of PostgreSQL processes of a run's folder: they work in it, or their command line names it. */
export function postgresProcessesIn(folder: string): number[] {
  const inFolder = (text: string): boolean => text.includes(`${folder}/`) || text.endsWith(folder);
  if (!onLinux) {
    return ps(['-axo', 'pid=,args='])
      .split('\n')
      .map((line) => /^\s*(\d+)\s+(.*)$/.exec(line))
      .filter((match) => match !== null && postgresProgram.test(match[2] ?? '') && inFolder(match[2] ?? ''))
      .map((match) => Number(match?.[1]));
  }
  return processesOf(
    (pid, args) => postgresProgram.test(args) && (inFolder(args) || inFolder(readlinkSync(`/proc/${pid}/cwd`))),
  );
}

/** Ids of all processes whose command line names a folder: servers, and what serves their volumes. Only on Linux. */
export function processesNaming(folder: string): number[] {
  return onLinux ? processesOf((_, args) => args.includes(folder)) : [];
}

function processesOf(isWanted: (pid: string, commandLine: string) => boolean): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return isWanted(pid, readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trimEnd());
      } catch {
        // The process ended in the meantime, or we may not look at it.
        return false;
      }
    })
    .map(Number);
}

function ps(args: string[]): string {
  return spawnSync('ps', args, { encoding: 'utf8' }).stdout;
}
