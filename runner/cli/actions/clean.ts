import { removeLeftovers } from '../../places/local/run-folder.ts';
import { releaseVolumes } from '../../places/local/volumes/release-volumes.ts';
import type { Io } from '../io.ts';
import type { Declare } from '../verb.ts';

export async function clean(options: { json?: true }, io: Io): Promise<void> {
  const cleaned = await removeLeftovers(releaseVolumes, io.signal, { kept: true });
  const { removed, inUse, left } = cleaned;
  if (left.length > 0) io.setExitCode(3);
  if (options.json) {
    io.stdout.write(`${JSON.stringify(cleaned)}\n`);
  } else {
    const lines = [
      ...(removed.length === 0 ? [] : ['Removed:', ...removed.map((folder) => `  ${folder}`)]),
      ...(inUse.length === 0 ? [] : ['Left, because a run is using it:', ...inUse.map((folder) => `  ${folder}`)]),
      ...(left.length === 0 ? [] : ['Left:', ...left.map(({ folder, why }) => `  ${folder}: ${why}`)]),
    ];
    if (removed.length + left.length === 0) lines.unshift('Nothing to remove.');
    io.stdout.write(`${lines.join('\n')}\n`);
  }
  io.signal.throwIfAborted();
}

export const declare: Declare = (command, io) => {
  command
    .option('--json', 'print the removed folders as JSON')
    .action((options: { json?: true }) => clean(options, io));
};
