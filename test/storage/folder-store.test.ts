import { chmodSync, mkdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { newFolderStore, resumeFolderStore } from '../../runner/storage/results-folder.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { recordSample } from '../helpers/samples/sample-result.ts';

it('two runs that start in the same second have folders of their own, and the later one is the latest', () => {
  const results = path.join(temporaryFolder(), 'results/quick');
  const now = new Date('2026-11-21T06:28:18.400Z');
  const folders = [newFolderStore(results, now), newFolderStore(results, now)].map(({ folder }) =>
    path.basename(folder),
  );
  expect(folders).toEqual(['2026-11-21T06-28-18Z', '2026-11-21T06-28-18Z-2']);
  expect(readlinkSync(path.join(results, 'latest'))).toBe('2026-11-21T06-28-18Z-2');
});

it('a run whose folders others may write to is not gone on with', async () => {
  const results = path.join(temporaryFolder(), 'results/sample');
  const store = newFolderStore(results, new Date('2026-11-21T06:28:18.400Z'));
  await store.saveRun(recordSample({}).run);
  const trials = path.join(store.folder, 'trials');
  mkdirSync(trials, { recursive: true });
  expect(resumeFolderStore(results).folder).toBe(store.folder);
  for (const folder of [trials, store.folder]) {
    chmodSync(folder, 0o777);
    expect(() => resumeFolderStore(results)).toThrow(`${folder} has no sticky bit and can be written by other users`);
    chmodSync(folder, 0o755);
  }
});
