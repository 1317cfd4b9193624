import { expect } from 'vitest';
import type { Printed } from '../fakes/fake-io.ts';
import { brokenWords, squeezed } from './shown-words.ts';

const terminals = { '60 columns': 60, '80 columns': 80, '120 columns': 120, 'no terminal': Infinity };

/**
 * What a command shows, by the width of the terminal. No line may be longer than it, unless it is a single
 * word; no word may be broken, and no column may have single words only.
 *
 * @param run runs the command in a terminal of so many columns
 * @param isSameText whether it says the same in each
 */
export async function screensOf(run: (columns: number) => Promise<Printed>, isSameText = true): Promise<string[]> {
  const shown: string[] = [];
  const whole = linesOf(await run(Infinity));
  for (const [terminal, columns] of Object.entries(terminals)) {
    const printed = await run(columns);
    const lines = linesOf(printed);
    expect(lines.filter((line) => line.length > columns && /\S\s+\S/.test(line))).toEqual([]);
    expect({
      broken: (isSameText ? brokenWords(lines, whole) : []).filter((word) => !word.endsWith('…')),
      squeezed: squeezed(lines),
    }).toEqual({ broken: [], squeezed: [] });
    shown.push(screen(terminal, printed));
  }
  return shown;
}

function linesOf({ stdout, stderr }: Printed): string[] {
  return [stdout, stderr].flatMap((text) => text.split('\n'));
}

export function screen(terminal: string, { stdout, stderr, exitCode }: Printed): string {
  return [`===== ${terminal}: exit code ${exitCode}`, stdout, ...(stderr === '' ? [] : ['----- stderr', stderr])].join(
    '\n',
  );
}
