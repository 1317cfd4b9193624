import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compile } from '../../../scripts/build/compile.ts';
import type { Breakage } from '../breakages.ts';
import { copyProject } from '../project-copy.ts';
import { powerCuts, type PowerCutOptions } from './power-cuts.ts';

type Options = Omit<PowerCutOptions, 'folder' | 'say'> & { breakage: Breakage | null };

/** `npm run lab -- faults --power`: docs/faults.md. @returns the exit code */
export async function cutPower({ breakage, ...options }: Options): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'power-'));
  // The servers run as another user, who must get to their files.
  chmodSync(folder, 0o711);
  const startedAt = Date.now();
  const project = path.join(folder, 'project');
  mkdirSync(project);
  copyProject(options.project, project, breakage);
  await compile(project);
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const cuts = await powerCuts({ ...options, project, folder, say });
  if (options.signal.aborted) {
    rmSync(folder, { recursive: true });
    return 130;
  }
  const violated = cuts.filter(({ violations }) => violations.length > 0);
  const minutes = ((Date.now() - startedAt) / 60_000).toFixed(1);
  say(`${cuts.length} power cuts in ${minutes} minutes; ${violated.length} violated something.`);
  const numbers = violated.map(({ number }) => number).join(',');
  if (violated.length > 0) say(`Repeat them with --only ${numbers}. Kept: ${folder}`);
  else rmSync(folder, { recursive: true });
  return violated.length > 0 === (breakage !== null) ? 0 : 1;
}
