import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Breakage } from './breakages.ts';

const parts = ['bin', 'lib', 'runner', 'prices', 'package.json', 'package-lock.json'];

/** Copies the sources of the command line, so that nobody changes them while they are run. */
export function copyProject(project: string, folder: string, breakage: Breakage | null): void {
  for (const part of parts) cpSync(path.join(project, part), path.join(folder, part), { recursive: true });
  symlinkSync(path.join(project, 'node_modules'), path.join(folder, 'node_modules'));
  if (!breakage) return;
  const file = path.join(folder, breakage.file);
  writeFileSync(file, broken(readFileSync(file, 'utf8'), breakage));
}

/** @throws if the text is not there exactly once: then the breakage must follow the source */
export function broken(source: string, { file, from, to }: Breakage): string {
  const [before = '', after, ...more] = source.split(from);
  if (after === undefined || more.length > 0) throw new Error(`${file} does not have exactly once: ${from}`);
  return before + to + after;
}
