import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * Path of a file that comes with pgduet, such as a ready experiment. The same question has one answer wherever the
 * program runs: the checkout, the installed package, and a driver's folder all hold `prices/`, each at its top.
 */
export function ownFile(...parts: readonly string[]): string {
  return path.join(ownFolder(), ...parts);
}

function ownFolder(): string {
  const start = import.meta.dirname;
  for (let folder = start; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, 'prices'))) return folder;
    if (folder === path.dirname(folder)) throw new Error(`No folder above ${start} holds the files of pgduet.`);
  }
}
