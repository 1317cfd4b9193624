import { readlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { newFolderStore } from '../../runner/storage/folder-store.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';

it('two runs that start in the same second have folders of their own, and the later one is the latest', () => {
  const results = path.join(temporaryFolder(), 'results/quick');
  const now = new Date('2026-11-21T06:28:18.400Z');
  const folders = [newFolderStore(results, now), newFolderStore(results, now)].map(({ folder }) =>
    path.basename(folder),
  );
  expect(folders).toEqual(['2026-11-21T06-28-18Z', '2026-11-21T06-28-18Z-2']);
  expect(readlinkSync(path.join(results, 'latest'))).toBe('2026-11-21T06-28-18Z-2');
});
