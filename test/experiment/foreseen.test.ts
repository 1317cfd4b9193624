import path from 'node:path';
import { expect, test } from 'vitest';
import { experimentNames } from '../../runner/experiment/file/find.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';

const project = path.resolve(import.meta.dirname, '../..');
const onHalfAGib = { common: { storage: { type: 'local', sizeGib: 0.5 } } };

function load(changes: object) {
  return loadExperiment('small', { folder: folderWithExperiment('small', { ...smallExperiment(), ...changes }) });
}

const workload = { tool: 'pgbench', scale: 10, clients: 4, durationSeconds: 10 };

test('data that does not fit on the volume is refused before anything is started, with the line and the size it takes', () => {
  const scale40 = { ...onHalfAGib, workload: { ...workload, scale: 40 }, protocol: { reset: ['tool-default'] } };
  expect(() => load(scale40)).toThrow(
    /small\.yaml:\d+.*sizeGib.*0\.5: too small for 0\.56 GiB of data; expected at least 1$/m,
  );
  expect(() => load({ ...scale40, workload })).not.toThrow();
});

test('the copy that is restored before each trial takes room, and so does WAL where it has no volume of its own', () => {
  const scale20 = { ...onHalfAGib, workload: { ...workload, scale: 20 } };
  const scale10 = { ...scale20, workload: { ...workload, scale: 10 } };
  expect(() => load({ ...scale10, protocol: { reset: ['tool-default'] } })).not.toThrow();
  // Loading writes as much WAL as data, and PostgreSQL keeps a gibibyte of it by itself.
  expect(() => load({ ...scale20, protocol: { reset: ['tool-default'] } })).toThrow(
    /too small for 0\.28 GiB of data and 0\.28 GiB of WAL \(max_wal_size\); expected at least 1/,
  );
  expect(() => load({ ...scale20, protocol: { reset: ['restore'] } })).toThrow(
    /too small for 0\.28 GiB of data, twice, since the reset step restore copies it back; expected at least 1/,
  );
  const engine = { parameters: { max_wal_size: '256MB' } };
  const withWal = { ...scale20, protocol: { reset: ['tool-default'] }, common: { ...onHalfAGib.common, engine } };
  expect(() => load(withWal)).toThrow(/0\.28 GiB of data and 0\.25 GiB of WAL \(max_wal_size\)/);
});

test('WAL that is kept takes room, also on a log volume', () => {
  const engine = { parameters: { wal_keep_size: '20GB' } };
  const storage = { type: 'local', sizeGib: 1 };
  expect(() => load({ common: { storage, engine }, workload: { ...workload, scale: 1 } })).toThrow(
    /common\.storage\.sizeGib.*too small for .* and 20 GiB of WAL that is kept \(wal_keep_size\); expected at least 22/,
  );
  const both = { a: { dedicatedLogVolume: true }, b: { dedicatedLogVolume: true } };
  expect(() => load({ common: { storage, engine }, variants: both, workload: { ...workload, scale: 1 } })).toThrow(
    /for the log volume too small for .* and 20 GiB of WAL that is kept/,
  );
});

test('fewer connections than clients are refused, also at the level with the most of them', () => {
  const engine = { parameters: { max_connections: 60 } };
  const common = { storage: { type: 'local', sizeGib: 1 }, engine };
  expect(() => load({ common, workload: { ...workload, clients: [8, 1000] } })).toThrow(
    /max_connections.*60: too few for 1,000 clients and 5 connections of our own; expected at least 1005/,
  );
  expect(() => load({ common, workload: { ...workload, clients: 55 } })).not.toThrow();
});

test.each(experimentNames(project))('%s fits on its volumes with local and smoke together', (name) => {
  const { profiles } = loadExperiment(name, { folder: project });
  if (!profiles.includes('local') || !profiles.includes('smoke')) return;
  // Two of them cannot be combined at all, which they say.
  const told = (() => {
    try {
      loadExperiment(name, { folder: project, profile: 'local,smoke' });
      return '';
    } catch (error) {
      return String(error);
    }
  })();
  expect(told).not.toContain('too small');
});
