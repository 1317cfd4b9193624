import path from 'node:path';
import { expect, test } from 'vitest';
import { experimentNames } from '../../runner/experiment/file/find.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';

const project = path.resolve(import.meta.dirname, '../..');
const onHalfAGib = { common: { storage: { type: 'local', sizeGib: 0.5 } } };

function load(changes: object, options: { volumes?: string } = {}) {
  const folder = folderWithExperiment('small', { ...smallExperiment(), ...changes });
  return loadExperiment('small', { folder, ...options });
}

const workload = { tool: 'pgbench', scale: 10, clients: 4, durationSeconds: 10 };

test('data that does not fit on the volume is refused before anything is started, with the line and the size it takes', () => {
  const scale40 = { ...onHalfAGib, workload: { ...workload, scale: 40 }, protocol: { reset: ['tool-default'] } };
  expect(() => load(scale40)).toThrow(
    /small\.yaml:\d+.*sizeGib.*0\.5: too small for 0\.56 GiB of data and 0\.48 GiB of WAL; expected at least 2$/m,
  );
  expect(() => load({ ...scale40, workload })).not.toThrow();
});

test('plain folders have no size, so that none is too small', () => {
  const scale400 = { ...onHalfAGib, workload: { ...workload, scale: 400 } };
  expect(() => load(scale400, { volumes: 'limited' })).toThrow('too small for');
  expect(() => load(scale400, { volumes: 'folders' })).not.toThrow();
});

// Each was loaded on such a volume of this project, by PostgreSQL 15, and measured for five seconds: docs/local-volumes.md.
test.each([
  [0.25, 'restore', {}, 4, 5],
  [0.5, 'checkpoint', {}, 14, 15],
  [0.5, 'restore', {}, 9, 10],
  [1, 'checkpoint', {}, 31, 32],
  [1, 'restore', {}, 21, 22],
  [1, 'checkpoint', { max_wal_size: '64MB' }, 50, 51],
  [2, 'checkpoint', {}, 64, 67],
  [2, 'restore', {}, 44, 46],
])(
  'a volume of %d GiB, reset by %s with %j, holds scale %d and not scale %d, as it did',
  (sizeGib, step, parameters, most, next) => {
    const scaledTo = (scale: number) => ({
      common: { storage: { type: 'local', sizeGib }, engine: { parameters } },
      workload: { ...workload, scale, durationSeconds: 5 },
      protocol: { reset: [step], blocks: 1 },
    });
    expect(() => load(scaledTo(most))).not.toThrow();
    expect(() => load(scaledTo(next))).toThrow('too small for');
  },
);

test('the message names the limit of WAL only where it is the limit, and whose it is', () => {
  const onOneGib = (scale: number, parameters: object) => ({
    common: { storage: { type: 'local', sizeGib: 1 }, engine: { parameters } },
    workload: { ...workload, scale },
    protocol: { reset: ['restore'] },
  });
  expect(() => load(onOneGib(30, { max_wal_size: '256MB' }))).toThrow(
    /too small for 0\.42 GiB of data, .* and 0\.28 GiB of WAL \(max_wal_size\)/,
  );
  expect(() => load(onOneGib(30, { max_wal_size: '64GB' }))).toThrow(/ and 0\.38 GiB of WAL; expected at least 2/);
  expect(() => load(onOneGib(200, {}))).toThrow(/ and 1 GiB of WAL \(the default of max_wal_size\)/);
});

test('WAL is no more than what is written, also where a parameter would keep more', () => {
  const storage = { type: 'local', sizeGib: 1 };
  const keeping = { common: { storage, engine: { parameters: { max_wal_size: '64GB', wal_keep_size: '20GB' } } } };
  expect(() => load({ ...keeping, workload: { ...workload, scale: 1 } })).not.toThrow();
  const long = { workload: { ...workload, scale: 1, durationSeconds: 3600 }, protocol: { blocks: 10 } };
  expect(() => load({ ...keeping, ...long })).toThrow(
    /common\.storage\.sizeGib.*too small for .* and 20 GiB of WAL \(wal_keep_size\); expected at least 21/,
  );
  const both = { a: { dedicatedLogVolume: true }, b: { dedicatedLogVolume: true } };
  expect(() => load({ ...keeping, ...long, variants: both })).toThrow(
    /the log volume would be too small for 20 GiB of WAL \(wal_keep_size\)/,
  );
});

test('fewer connections than clients are refused, also at the level with the most of them', () => {
  const engine = { parameters: { max_connections: 60 } };
  const common = { storage: { type: 'local', sizeGib: 1 }, engine };
  expect(() => load({ common, workload: { ...workload, clients: [8, 1000] } })).toThrow(
    /max_connections.*60: too few for 1,000 clients and 5 connections of pgduet; expected at least 1005/,
  );
  expect(() => load({ common, workload: { ...workload, clients: 55 } })).not.toThrow();
});

const onRds = (databaseClass: string, parameters: object = {}, storage: object = {}) => ({
  common: {
    class: databaseClass,
    storage: { type: 'io2', sizeGib: 1000, iops: 3000, ...storage },
    engine: { version: '15.19', parameters },
  },
});

test('shared buffers that a class has no memory for are refused, as a number and as a formula', () => {
  // What the study had on 512 GiB.
  const studyBuffers = { shared_buffers: 16324847 };
  expect(() => load(onRds('db.r5.16xlarge', studyBuffers))).not.toThrow();
  expect(() => load(onRds('db.r5.4xlarge', studyBuffers))).toThrow(
    /small\.yaml:\d+.*shared_buffers.*16324847: 124\.5 GiB, more than 90% of the 128\.0 GiB of db\.r5\.4xlarge.*expected less/,
  );
  expect(() => load(onRds('db.r5.4xlarge', { shared_buffers: '{DBInstanceClassMemory/32768}' }))).not.toThrow();
  expect(() => load(onRds('db.r5.4xlarge', { shared_buffers: '{DBInstanceClassMemory*3/24576}' }))).toThrow(
    '128.0 GiB, more than 90%',
  );
  expect(() => load(onRds('db.r9g.4xlarge', studyBuffers))).not.toThrow();
  expect(
    load(onRds('db.r9g.4xlarge', studyBuffers))
      .warnings.map(({ message }) => message)
      .join('\n'),
  ).toContain('were not checked against it');
});

test('the classes of dlv-pgbench start with the shared buffers that they ask for', () => {
  const { experiment } = loadExperiment('dlv-pgbench', { folder: project, profile: 'classes' });
  const asked = Object.values(experiment.variants).map((one) => [one.class, one.engine.parameters['shared_buffers']]);
  expect(new Set(asked.map(([databaseClass]) => databaseClass))).toEqual(new Set(['db.r5.4xlarge', 'db.r5.16xlarge']));
  expect(new Set(asked.map(([, buffers]) => buffers))).toEqual(new Set(['{DBInstanceClassMemory/32768}']));
});

test('fewer connections than clients are refused on RDS also where a formula or its default computes them', () => {
  const crowd = { workload: { ...workload, clients: 1000 } };
  // 4 GiB: 450 of RDS's 9,531,392 bytes.
  expect(() => load({ ...onRds('db.t4g.medium'), ...crowd })).toThrow(
    /max_connections.*missing; by default, a server here allows 450 connections, too few for 1,000 clients/,
  );
  const formula = { max_connections: '{DBInstanceClassMemory/9531392}' };
  expect(() => load({ ...onRds('db.t4g.medium', formula), ...crowd })).toThrow(
    /max_connections.*9531392.*: 450 connections here, too few for 1,000 clients .* expected at least 1005/,
  );
  expect(() => load({ ...onRds('db.r6g.large', formula), ...crowd })).not.toThrow();
  expect(
    load(onRds('db.r6g.large', { max_connections: 5000 }))
      .warnings.map(({ message }) => message)
      .join(),
  ).toContain(
    'max_connections is 5000. By RDS’s own formula, {DBInstanceClassMemory/9531392}, db.r6g.large has memory for 1802 connections.',
  );
});

test('storage that a class cannot sustain is a warning with both numbers', () => {
  const variants = { a: {}, b: { engine: { parameters: { work_mem: '8MB' } } } };
  const warnings = (...args: Parameters<typeof onRds>) =>
    load({ ...onRds(...args), variants })
      .warnings.map(({ message }) => message)
      .join('\n');
  expect(warnings('db.r6g.2xlarge', {}, { iops: 12_000 })).not.toContain('IOPS');
  expect(warnings('db.r6g.large', {}, { iops: 6000 })).toContain(
    'db.r6g.large supports 6000 IOPS for only half an hour a day, and 3600 for the rest',
  );
  expect(warnings('db.r6g.large', {}, { iops: 21_000 })).toContain(
    '21000 are more IOPS than db.r6g.large supports (20000)',
  );
  const gp3 = { type: 'gp3', sizeGib: 1000, iops: 12_000, throughputMibps: 1000 };
  expect(warnings('db.r6g.4xlarge', {}, gp3)).toContain('more than db.r6g.4xlarge supports (566)');
});

test.each(experimentNames(project))('%s fits on its volumes with local and smoke together', (name) => {
  const { profiles } = loadExperiment(name, { folder: project });
  if (!profiles.includes('local') || !profiles.includes('smoke')) return;
  // Two of them cannot be combined at all, which they say.
  const reported = (() => {
    try {
      loadExperiment(name, { folder: project, profile: 'local,smoke' });
      return '';
    } catch (error) {
      return String(error);
    }
  })();
  expect(reported).not.toContain('too small');
});
