import type { Run } from '../contract/tool-output.ts';
import { tools } from './registry.ts';

/**
 * Reads output of any tool that somebody kept.
 *
 * @param source name of the text in messages
 * @throws {UserError} if the text is not the complete output of any tool
 */
export async function readOutput(text: string, source: string): Promise<Run[]> {
  const readers = await Promise.all(tools.map((tool) => tool.outputReader()));
  const reader = readers.find(({ recognises }) => recognises(text)) ?? readers[0];
  return reader?.parse(text, source) ?? [];
}
