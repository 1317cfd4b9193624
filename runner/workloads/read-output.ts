import { UserError } from '../contract/errors.ts';
import type { Run } from '../contract/tool-output.ts';
import { otherOutput } from './other-output.ts';
import { tools } from './registry.ts';

/**
 * Reads output of any tool that somebody kept.
 *
 * @param source name of the text in messages
 * @throws {UserError} if the text is not the output of any tool, or cannot be read as a whole
 */
export async function readOutput(text: string, source: string): Promise<Run[]> {
  const readers = await Promise.all(tools.map((tool) => tool.outputReader()));
  const reader = readers.find(({ recognises }) => recognises(text));
  const other = reader ? null : otherOutput(text);
  if (other !== null) throw new UserError(`${source}: ${other}.`);
  return (reader ?? readers[0])?.parse(text, source) ?? [];
}
