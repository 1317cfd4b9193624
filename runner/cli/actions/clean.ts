import { keptFolders, removeLeftovers } from '../../places/local/run-folder.ts';
import { releaseVolumes } from '../../places/local/volumes/release-volumes.ts';
import type { Io } from '../io.ts';

export async function clean(options: { json?: true }, io: Io): Promise<void> {
  const removed = await removeLeftovers(releaseVolumes, { kept: true });
  const inUse = keptFolders();
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ removed, inUse })}\n`);
    return;
  }
  const lines = [
    ...(removed.length === 0 ? ['Nothing to remove.'] : ['Removed:', ...removed.map((folder) => `  ${folder}`)]),
    ...(inUse.length === 0 ? [] : ['Left, since a run uses it:', ...inUse.map((folder) => `  ${folder}`)]),
  ];
  io.stdout.write(`${lines.join('\n')}\n`);
}
