import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import { openKeptPlace, saveKeptPlace } from '../../../runner/places/local/kept-place.ts';
import { makeRunFolder } from '../../../runner/places/local/run-folder.ts';
import { ownTemporaryFolder } from '../../helpers/own-temporary-folder.ts';

ownTemporaryFolder();
const { experiment } = loadExperiment('quick', { folder: path.resolve(import.meta.dirname, '../../..') });

/** Keeps clusters of the experiment, as a load does, and gives their folder. */
function keep(...servers: Parameters<typeof saveKeptPlace>[3]): string {
  const kept = makeRunFolder(() => Promise.resolve());
  saveKeptPlace(kept.path, experiment, { description: 'x', caveats: [], volumeChecks: [] }, servers);
  kept.keep();
  return kept.path;
}

it('kept clusters are measured by one run at a time, and by the next one after it', async () => {
  const folder = keep();
  const first = await openKeptPlace(experiment);
  await expect(openKeptPlace(experiment)).rejects.toThrow(
    `The clusters that were kept in ${folder}: in use by another pgduet (process ${process.pid})`,
  );
  await first.close({ keep: true });
  const second = await openKeptPlace(experiment);
  await second.close({ keep: true });
});

it('a stranger at the port of a kept server that has ended is not asked, and receives no password', async () => {
  const asked = vi.fn();
  const stranger = createServer(asked).listen(0, '127.0.0.1');
  onTestFinished(() => void stranger.close());
  await once(stranger, 'listening');
  const server = spawn('sleep', ['60']);
  await once(server, 'spawn');
  const { port } = stranger.address() as AddressInfo;
  const target = { server: 'a', host: '127.0.0.1', port, user: 'postgres', database: 'pgduet', environment: {} };
  const { signal: failed } = new AbortController();
  const asServer = { ...target, asked: { parameters: {}, version: null }, failed };
  keep({ target: asServer, volumes: [], standbys: [], pid: server.pid ?? 0 });
  server.kill('SIGKILL');
  await once(server, 'exit');
  await expect(openKeptPlace(experiment)).rejects.toThrow(
    'The kept server of a has ended. Remove what is left with npx --no-install pgduet clean, then load again.',
  );
  expect(asked).not.toHaveBeenCalled();
});
