import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';

/** What the hostile program is told; see hostile.py. */
export interface Surroundings {
  temporary: string;
  results: string;
  process: number;
  canary: string;
  programs: string;
  own?: boolean;
  prepare?: boolean;
  plant?: boolean;
}

export interface Haul {
  attempts: Record<string, { gained: string[]; refused: Record<string, number> }>;
  heard: string[];
  planted: number;
}

export const nobody = { uid: 65_534, gid: 65_534 };

/** Another user of the machine, who runs the hostile program until its end is asked for. */
export interface Neighbour {
  end(): Promise<Haul>;
}

const program = readFileSync(path.join(import.meta.dirname, 'hostile.py'), 'utf8');

/** Resolves when what is laid beforehand is there. @param capabilities that this user is given, such as +sys_admin */
export async function startNeighbour(
  who: { uid: number; gid: number },
  surroundings: Surroundings,
  capabilities = '-all',
): Promise<Neighbour> {
  const asked = { own: false, prepare: false, plant: false, ...surroundings };
  const caps = [`--inh-caps=${capabilities}`, `--ambient-caps=${capabilities}`];
  const become = ['--reuid', String(who.uid), '--regid', String(who.gid), '--clear-groups', ...caps];
  // The text, since the user may not reach the file.
  const child = spawn('setpriv', [...become, 'python3', '-c', program, JSON.stringify(asked)], {
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'readable');
  const printed = text(child.stdout);
  return {
    async end() {
      child.stdin.end();
      const [prepared, haul = ''] = (await printed).split('\n');
      if (prepared !== 'prepared') throw new Error(`the hostile program failed: ${await printed}`);
      return JSON.parse(haul) as Haul;
    },
  };
}
