import { removeLeftovers } from '../../places/local/run-folder.ts';
import { releaseVolumes } from '../../places/local/volumes/release-volumes.ts';
import type { RegisterCommand } from '../io.ts';

/** `pgduet clean`: what --keep left, and what killed runs left. */
export const registerClean: RegisterCommand = (program, io) => {
  program
    .command('clean')
    .description('Remove the local clusters that --keep left, and whatever killed runs left.')
    .option('--json', 'the removed folders as JSON')
    .action(async (options: { json?: true }) => {
      const removed = await removeLeftovers(releaseVolumes, { kept: true });
      if (options.json) io.stdout.write(`${JSON.stringify({ removed })}\n`);
      else io.stdout.write(removed.length === 0 ? 'Nothing to remove.\n' : `Removed:\n  ${removed.join('\n  ')}\n`);
    });
};
