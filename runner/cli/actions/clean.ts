import { removeLeftovers } from '../../places/local/run-folder.ts';
import { releaseVolumes } from '../../places/local/volumes/release-volumes.ts';
import type { Io } from '../io.ts';

export async function clean(options: { json?: true }, io: Io): Promise<void> {
  const removed = await removeLeftovers(releaseVolumes, { kept: true });
  if (options.json) io.stdout.write(`${JSON.stringify({ removed })}\n`);
  else io.stdout.write(removed.length === 0 ? 'Nothing to remove.\n' : `Removed:\n  ${removed.join('\n  ')}\n`);
}
