import { readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { project } from './account.ts';

/**
 * Screens that docs/first-deploy.md shows, by their names: the blocks of code whose first line is ` ```text NAME `. A line
 * stands for one on the screen; `…` in it stands for what differs from deploy to deploy.
 */
export function documentedScreens(): Map<string, string[]> {
  const text = readFileSync(path.join(project, 'docs/first-deploy.md'), 'utf8');
  return new Map(
    [...text.matchAll(/^```text (\S+)\n(.*?)^```$/gms)].map(([, name = '', lines = '']) => [
      name,
      lines.split('\n').filter((line) => line.trim() !== ''),
    ]),
  );
}

/** The lines of a told screen that the printed text has not, in their order. */
export function missingLines(documented: readonly string[], printed: string): string[] {
  const lines = printed.split('\n').map(plain);
  let from = 0;
  return documented.filter((line) => {
    const parts = plain(line)
      .split('…')
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
    const pattern = new RegExp(`^${parts.join('.*')}$`);
    const at = lines.findIndex((one, index) => index >= from && pattern.test(one));
    if (at !== -1) from = at + 1;
    return at === -1;
  });
}

/** Without colours, and with single spaces. */
function plain(line: string): string {
  return stripVTControlCharacters(line).replaceAll(/\s+/g, ' ').trim();
}
