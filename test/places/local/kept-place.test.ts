import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import { openKeptPlace, saveKeptPlace } from '../../../runner/places/local/kept-place.ts';
import { makeRunFolder } from '../../../runner/places/local/run-folder.ts';

let temporary: string;
beforeEach(() => {
  temporary = realpathSync(mkdtempSync(path.join(tmpdir(), 'kept-place-test-')));
  vi.stubEnv('TMPDIR', temporary);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true });
});

it('kept clusters are measured by one run at a time, and by the next one after it', async () => {
  const { experiment } = loadExperiment('quick', { folder: path.resolve(import.meta.dirname, '../../..') });
  const kept = makeRunFolder(() => Promise.resolve());
  saveKeptPlace(kept.path, experiment, { description: 'x', caveats: [], volumeChecks: [] }, new Map());
  kept.keep();
  const first = await openKeptPlace(experiment);
  await expect(openKeptPlace(experiment)).rejects.toThrow(
    `The clusters that were kept in ${kept.path}: in use by another pgduet (process ${process.pid})`,
  );
  await first.close({ keep: true });
  const second = await openKeptPlace(experiment);
  await second.close({ keep: true });
});
