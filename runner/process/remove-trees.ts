import { setTimeout as sleep } from 'node:timers/promises';
import { runChecked } from './run-command.ts';

/**
 * Deletes with rm, which follows no symbolic link, even if a process of the servers' user replaces a folder with one at
 * that moment. The functions of Node.js would follow it.
 */
export async function removeTrees(trees: readonly string[], signal?: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await runChecked(['rm', '-rf', '--', ...trees], { ...(signal && { signal }) });
      return;
    } catch (error) {
      // A process that was just killed can still hold a folder, or put a file into it.
      if (attempt === 5 || signal?.aborted) throw error;
      await sleep(attempt * 100);
    }
  }
}
