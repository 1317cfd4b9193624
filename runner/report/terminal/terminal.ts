import type { Result } from '../../contract/result.ts';
import { sections } from '../sections/registry.ts';
import { blocksFor, reported } from '../sections/section.ts';
import { renderBlocks } from './blocks.ts';
import type { TerminalOptions } from './terminal-table.ts';

/** What is printed at the end of a run. The rest is in the report. */
export function renderTerminal(result: Result, options: TerminalOptions): string {
  const of = reported(result);
  const question = { parts: [{ kind: 'paragraph' as const, text: of.view.question }] };
  const blocks = sections.flatMap((section) => blocksFor('terminal', section, of));
  return `${renderBlocks([question, ...blocks], options)}\n`;
}
