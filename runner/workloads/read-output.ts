import { setImmediate } from 'node:timers/promises';
import { UserError } from '../contract/errors.ts';
import type { Run } from '../contract/tool-output.ts';
import { otherOutput } from './other-output.ts';
import { tools } from './every-tool.ts';

const runsAtOnce = 100;
/**
 * Outputs of thousands of runs are smaller, and those of a run of 40 hours that tells its progress each second. Reading more
 * would keep Ctrl-C from being heard.
 */
export const mostOutputBytes = 16 * 2 ** 20;

/**
 * Reads output of any tool that somebody kept.
 *
 * @param source name of the text in messages
 * @throws {UserError} if the text is not the output of any tool, or cannot be read as a whole; the signal's reason if it aborted
 */
export async function readOutput(text: string, source: string, signal: AbortSignal): Promise<Run[]> {
  const readers = await Promise.all(tools.map((tool) => tool.outputReader()));
  const reader = readers.find(({ recognises }) => recognises(text));
  const other = reader ? null : otherOutput(text);
  if (other !== null) throw new UserError(`${source}: ${other}.`);
  const runs: Run[] = [];
  for (const run of (reader ?? readers[0])?.parse(text, source) ?? []) {
    runs.push(run);
    // Lets others have their turn, such as a Ctrl-C.
    if (runs.length % runsAtOnce === 0) await setImmediate();
    signal.throwIfAborted();
  }
  return runs;
}
