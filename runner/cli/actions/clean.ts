import path from 'node:path';
import { removeLeftovers } from '../../places/local/run-folder.ts';
import { releaseVolumes } from '../../places/local/volumes/release-volumes.ts';
import { removeOwnDatabases } from '../../places/existing/clean-up.ts';
import type { Io } from '../io.ts';
import { outOption } from '../options.ts';
import type { Declare } from '../verb.ts';

export async function clean(options: { json?: true; out: string }, io: Io): Promise<void> {
  const here = await removeLeftovers(releaseVolumes, io.signal, { kept: true });
  const out = path.resolve(io.workingFolder, options.out);
  const servers = await removeOwnDatabases(out, io.environment, io.signal);
  const cleaned = { ...here, databases: servers };
  const removed = [...here.removed, ...servers.removed];
  const left = [...here.left.map(({ folder, why }) => ({ what: folder, why })), ...servers.left];
  const { inUse } = here;
  if (left.length > 0) io.setExitCode(3);
  if (options.json) {
    io.stdout.write(`${JSON.stringify(cleaned)}\n`);
  } else {
    const lines = [
      ...(removed.length === 0 ? [] : ['Removed:', ...removed.map((folder) => `  ${folder}`)]),
      ...(inUse.length === 0 ? [] : ['Kept, because a run is using it:', ...inUse.map((folder) => `  ${folder}`)]),
      ...(left.length === 0 ? [] : ['Left:', ...left.map(({ what, why }) => `  ${what}: ${why}`)]),
    ];
    if (removed.length + left.length === 0) lines.unshift('Nothing to remove.');
    io.stdout.write(`${lines.join('\n')}\n`);
  }
  io.signal.throwIfAborted();
}

export const declare: Declare = (command, io) => {
  command
    .option('--json', 'print as JSON what was removed')
    .addOption(outOption())
    .action((options: { json?: true; out: string }) => clean(options, io));
};
