import type { Run } from '../contract/tool-output.ts';
import { tools } from './registry.ts';

/**
 * Reads the output of any tool that somebody kept.
 *
 * @param source what messages call it
 * @throws {UserError} for what is no whole output of any tool
 */
export async function readOutput(text: string, source: string): Promise<Run[]> {
  const readers = await Promise.all(tools.map((tool) => tool.outputReader()));
  const reader = readers.find(({ recognises }) => recognises(text)) ?? readers[0];
  return reader?.parse(text, source) ?? [];
}
