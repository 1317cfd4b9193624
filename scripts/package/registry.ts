import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { project } from '../../lib/build-options.ts';

export interface Registry {
  address: string;
  /** Paths of the requests for this package and its files. */
  askedFor: (name: string) => string[];
  stop: () => void;
}

/**
 * Starts a registry that has every package but ours. It is a process of its own: this one waits for the programs that it
 * starts.
 */
export async function startRegistry(): Promise<Registry> {
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8', timeout: 60_000 }).trim();
  const folder = mkdtempSync(path.join(tmpdir(), 'registry-'));
  const log = path.join(folder, 'requests');
  writeFileSync(log, '');
  const program = ['bin/run.mjs', 'scripts/package/registry-server.ts'].map((name) => path.join(project, name));
  const server = spawn(process.execPath, [...program, upstream, log], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [address] = (await once(server.stdout, 'data')) as [Buffer];
  return {
    address: address.toString().trim(),
    askedFor: (name) =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((url) => url === `/${name}` || url.startsWith(`/${name}/`)),
    stop: () => {
      server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
