import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { UserError } from '../../../runner/contract/errors.ts';
import { isInMemory } from '../../../runner/files/look.ts';
import { requireMemory, requireRoom, requireRoomForData } from '../../../runner/places/local/room.ts';
import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import { parsedExperiment } from '../../helpers/samples/parsed-experiment.ts';

test('volumes that would not fit on the disk are refused before they are made, with both sizes', () => {
  const { experiment } = loadExperiment('quick', { folder: process.cwd() });
  const sizedAt = (sizeGib: number, dedicatedLogVolume: boolean) => ({
    variants: Object.fromEntries(
      Object.entries(experiment.variants)
        .slice(0, 1)
        .map(([name, variant]) => [
          name,
          { ...variant, dedicatedLogVolume, storage: { type: 'local' as const, sizeGib } },
        ]),
    ),
  });
  requireRoom(sizedAt(0.01, true), tmpdir());
  const [one] = Object.values(sizedAt(1_000_000, true).variants);
  if (!one) throw new Error('a variant');
  const withStandbys = { variants: { one: { ...one, storage: { ...one.storage, standbys: 2 } } } };
  expect(() => requireRoom(withStandbys, tmpdir())).toThrow('need 4000000 GiB');
  expect(() => requireRoom(sizedAt(1_000_000, true), tmpdir())).toThrow(UserError);
  expect(() => requireRoom(sizedAt(1_000_000, true), tmpdir())).toThrow(
    /need 2000000 GiB, but .* has room for only [\d.]+ GiB\. .*TMPDIR/,
  );
});

test('shared buffers that would not fit into memory together are refused before any server is started, with both sizes', () => {
  const { experiment } = loadExperiment('quick', { folder: process.cwd() });
  const withBuffers = (shared_buffers: string) => ({
    variants: Object.fromEntries(
      Object.entries(experiment.variants)
        .slice(0, 2)
        .map(([name, variant]) => [name, { ...variant, engine: { parameters: { shared_buffers } } }]),
    ),
  });
  requireMemory(withBuffers('3GB'), 8 * 2 ** 30);
  expect(() => requireMemory(withBuffers('4GB'), 8 * 2 ** 30)).toThrow(
    'The shared_buffers of all variants add up to 8.0 GiB, but pgduet and its servers may use only 8.0 GiB of memory here',
  );
  // pgduet itself needs some, too.
  requireMemory(withBuffers('128MB'), 512 * 2 ** 20);
  expect(() => requireMemory(withBuffers('160MB'), 512 * 2 ** 20)).toThrow(UserError);
  // Without a unit it counts pages.
  expect(() => requireMemory(withBuffers('1048576'), 8 * 2 ** 30)).toThrow(UserError);
});

test.skipIf(!existsSync('/dev/shm'))('files in memory are known, since they share it with the servers', () => {
  expect(['/dev/shm', '/proc'].map(isInMemory)).toEqual([true, false]);
});

test('data and WAL of all servers that the disk of plain folders has no room for are refused', () => {
  const experiment = parsedExperiment({
    name: 'x',
    question: '?',
    baseline: 'a',
    variants: { a: { storage: { type: 'local' } }, b: { storage: { type: 'local', standbys: 1 } } },
    workload: { tool: 'pgbench', scale: 20, clients: 1, durationSeconds: 1 },
    protocol: { reset: ['restore'] },
  });
  // 0.28 GiB, twice, with what a server has besides, and 0.25 GiB of WAL, on three servers.
  requireRoomForData(experiment, tmpdir(), 2.7 * 2 ** 30);
  expect(() => requireRoomForData(experiment, tmpdir(), 2.6 * 2 ** 30)).toThrow(
    /Data and WAL of all variants need 2\.\d GiB, but .* has room for only 2\.6 GiB\. .*set TMPDIR to another disk/,
  );
  // No more WAL is kept than is written.
  const parameters = { max_wal_size: '64GB', wal_keep_size: '64GB' };
  const unlimited = Object.entries(experiment.variants).map(([name, one]) => [
    name,
    { ...one, engine: { parameters } },
  ]);
  const variants = Object.fromEntries(unlimited) as typeof experiment.variants;
  requireRoomForData({ ...experiment, variants }, tmpdir(), 2.7 * 2 ** 30);
});
