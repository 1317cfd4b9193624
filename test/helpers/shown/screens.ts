import { expect } from 'vitest';
import type { Printed } from '../fakes/fake-io.ts';

const terminals = { '60 columns': 60, '80 columns': 80, '120 columns': 120, 'no terminal': Infinity };

/**
 * What a command shows, by the width of the terminal. No line may be longer than it, unless it is a single word.
 *
 * @param run runs the command in a terminal of so many columns
 */
export async function screensOf(run: (columns: number) => Promise<Printed>): Promise<string[]> {
  const shown: string[] = [];
  for (const [terminal, columns] of Object.entries(terminals)) {
    const printed = await run(columns);
    const lines = [printed.stdout, printed.stderr].flatMap((text) => text.split('\n'));
    expect(lines.filter((line) => line.length > columns && /\S\s+\S/.test(line))).toEqual([]);
    shown.push(screen(terminal, printed));
  }
  return shown;
}

export function screen(terminal: string, { stdout, stderr, exitCode }: Printed): string {
  return [`===== ${terminal}: exit code ${exitCode}`, stdout, ...(stderr === '' ? [] : ['----- stderr', stderr])].join(
    '\n',
  );
}
