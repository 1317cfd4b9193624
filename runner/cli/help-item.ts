import type { Help } from 'commander';
import { hanging } from '../report/terminal/wrap.ts';

/** Least width for a description beside its term, in columns. With less room it stands below the term. */
const enoughColumns = 30;

/** One option, argument or command with its description. No line is longer than the terminal is wide. */
export function helpItem(term: string, termWidth: number, description: string, { helpWidth = 80 }: Help): string {
  if (description === '') return `  ${term}`;
  const beside = `  ${term.padEnd(termWidth)}  `;
  const lines =
    helpWidth - beside.length >= enoughColumns
      ? hanging(beside, description, helpWidth)
      : [`  ${term}`, ...hanging('      ', description, helpWidth)];
  return lines.join('\n');
}
