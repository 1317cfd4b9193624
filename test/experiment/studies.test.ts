import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { declaredVolumes } from '../../runner/places/registry.ts';

/**
 * The published set-ups, value by value, beside the experiments that repeat them. Where an experiment differs on purpose, the
 * test has the study's value and ours, and why.
 */
const project = path.resolve(import.meta.dirname, '../..');

function shipped(name: string, profile?: string): Experiment {
  return loadExperiment(name, { folder: project, profile, seed: 1 }).experiment;
}

function variant({ variants }: Experiment, name: string): Experiment['variants'][string] {
  const found = variants[name];
  if (!found) throw new Error(`no variant ${name}`);
  return found;
}

describe('study 1, DLV with pgbench', () => {
  const study = shipped('dlv-pgbench');
  const parameters = {
    checkpoint_timeout: 300,
    commit_delay: 0,
    shared_buffers: 16324847,
    synchronous_commit: 'on',
    track_wal_io_timing: true,
    wal_buffers: 8192,
    wal_compression: 'zstd',
    wal_writer_delay: 200,
    wal_writer_flush_after: 128,
  };

  test.each(['dlv-pgbench', 'dlv-ladder'])('%s has its servers, storage, parameters and driver', (name) => {
    const experiment = shipped(name);
    for (const [variantName, dedicatedLogVolume] of [
      ['without-dlv', false],
      ['with-dlv', true],
    ] as const) {
      const { engine, ...rest } = variant(experiment, variantName);
      expect(rest).toMatchObject({ deployment: 'single-az', class: 'db.r5.16xlarge', dedicatedLogVolume });
      expect(rest.storage).toEqual({ type: 'io2', sizeGib: 1024, iops: 10_000 });
      expect(engine.parameters).toMatchObject(parameters);
      // 15.8 can no longer be created: the newest minor version of the same major.
      expect(engine.version).toBe('15.19');
      // A parameter of initdb, which RDS does not offer: its value, 64 MiB, is RDS's own.
      expect(engine.parameters).not.toHaveProperty('wal_segment_size');
    }
    expect(experiment.driver.class).toBe('r5.4xlarge');
  });

  test('loads scale 10,000 and runs 64 clients on 32 threads with both scripts, each for half', () => {
    expect(study.workload).toMatchObject({ tool: 'pgbench', scale: 10_000, clients: 64, threads: 32 });
    const both = [
      { builtin: 'tpcb-like', weight: 1 },
      { builtin: 'simple-update', weight: 1 },
    ];
    expect(study.workload['scripts']).toEqual(both);
    expect(study.protocol.settleSeconds).toBe(600);
    const { workload } = shipped('dlv-ladder');
    expect(workload).toMatchObject({ scale: 10_000, scripts: both });
    expect(workload['clients']).toContain(64);
  });

  test('is measured as it was by the profile `published`: 500,000 transactions a client, once, both variants at once', () => {
    const { workload, protocol } = shipped('dlv-pgbench', 'published');
    expect(workload).toMatchObject({ transactions: 500_000 });
    expect(workload).not.toHaveProperty('durationSeconds');
    expect(protocol).toMatchObject({ blocks: 1, order: 'together', warmUpSeconds: 0, reset: ['tool-default'] });
  });

  test('is observed as it was: Performance Insights for 31 days, Enhanced Monitoring every second', () => {
    expect(study.monitoring).toMatchObject({ enhancedMonitoringSeconds: 1 });
  });
});

describe('study 2, WAL placement', () => {
  const study = shipped('wal-placement');

  test('has 100 clients of up to 1,000 transactions, TPC-B-like, restored before each, and the parameters', () => {
    expect(study.workload).toMatchObject({
      clients: 100,
      transactions: 1000,
      scripts: [{ builtin: 'tpcb-like', weight: 1 }],
    });
    expect(study.protocol.reset).toContain('restore');
    const { parameters } = variant(study, 'four-disks').engine;
    expect(parameters).toMatchObject({ commit_delay: 20_000, commit_siblings: 3, checkpoint_timeout: 900 });
    // checkpoint_segments 40, of 16 MB each, which no version from 9.5 on has.
    expect(parameters['max_wal_size']).toBe('640MB');
    // The five runs of the notes describe; eight give a verdict.
    expect(study.protocol.blocks).toBeGreaterThan(5);
  });

  test.each([
    ['full', 1500],
    ['local', 300],
  ])('has as many IOPS for each disk wherever it is: profile %s', (profile, disk) => {
    const experiment = shipped('wal-placement', profile);
    const iops = (name: string): number => {
      const { storage } = variant(experiment, name);
      return 'iops' in storage ? (storage.iops ?? 0) : 0;
    };
    expect(Object.keys(experiment.variants).map((name) => iops(name) / disk)).toEqual([4, 4, 2, 2, 4, 6]);
    const apart = Object.entries(experiment.variants).filter(([, one]) => one.dedicatedLogVolume);
    expect(apart.map(([name]) => name)).toEqual(['two-and-two', 'two-and-two-no-delay', 'four-and-two']);
    for (const [, one] of apart) {
      // A dedicated log volume of RDS has 3,000, whatever one asks for.
      expect((declaredVolumes(one).log?.iops ?? 3000) / disk).toBe(2);
    }
    for (const name of ['four-disks-no-delay', 'two-and-two-no-delay']) {
      expect(variant(experiment, name).engine.parameters['commit_delay']).toBe(0);
    }
  });
});

describe('study 3, DLV with HammerDB on Multi-AZ', () => {
  const study = shipped('dlv-tprocc-multi-az');

  test('has its servers, storage and parameters', () => {
    for (const [name, dedicatedLogVolume] of [
      ['without-dlv', false],
      ['with-dlv', true],
    ] as const) {
      const { engine, ...rest } = variant(study, name);
      expect(rest).toMatchObject({ deployment: 'multi-az-instance', class: 'db.r6gd.16xlarge', dedicatedLogVolume });
      expect(rest.storage).toEqual({ type: 'io2', sizeGib: 6 * 1024, iops: 80_000 });
      expect(engine.parameters).toMatchObject({
        checkpoint_timeout: 300,
        max_connections: 10_000,
        max_wal_size: 102_400,
      });
      // The study let clients connect without TLS. Ours never do, so the server demands it, as all others.
      expect(engine.parameters).not.toHaveProperty('rds.force_ssl');
      // 16.1 can no longer be created.
      expect(engine.version).toBe('16.15');
    }
  });

  test('has 20,000 warehouses and rising numbers of virtual users', () => {
    expect(study.workload).toMatchObject({ tool: 'hammerdb', warehouses: 20_000 });
    const users = study.workload['users'] as number[];
    expect(users.length).toBeGreaterThanOrEqual(5);
    expect(users).toEqual([...users].sort((a, b) => a - b));
  });
});

describe('study 4, deployment options with HammerDB', () => {
  const study = shipped('deployment-options');

  test('has the three deployment options on the same class, storage and IOPS', () => {
    expect(Object.entries(study.variants).map(([name, { deployment }]) => [name, deployment])).toEqual([
      ['single-az', 'single-az'],
      ['multi-az-instance', 'multi-az-instance'],
      ['multi-az-cluster', 'multi-az-cluster'],
    ]);
    for (const { class: instanceClass, storage } of Object.values(study.variants)) {
      expect(instanceClass).toBe('db.r6gd.4xlarge');
      expect(storage).toMatchObject({ type: 'io1', iops: 3000 });
    }
    expect(study.driver.class).toBe('m6i.xlarge');
  });

  test('has 20 warehouses, 10 users without waits, 2 minutes of ramp-up, 10 measured, and NOPM', () => {
    expect(study.workload).toMatchObject({
      tool: 'hammerdb',
      warehouses: 20,
      users: 10,
      durationMinutes: 10,
      keyingAndThinking: false,
    });
    expect(study.protocol.warmUpSeconds).toBe(120);
    expect(study.decision.metric).toBe('nopm');
  });

  test('reboots the servers and restores the database between runs', () => {
    expect(study.protocol.reset).toEqual(expect.arrayContaining(['restore', 'restart']));
    expect(shipped('deployment-options', 'local').protocol.reset).toEqual(study.protocol.reset);
  });

  test('has on this machine one server, one with a synchronous standby and one with two', () => {
    const { variants } = shipped('deployment-options', 'local');
    const standbys = Object.values(variants).map((one) => declaredVolumes(one).standbys?.count ?? 0);
    expect(standbys).toEqual([0, 1, 2]);
  });
});

test('PostgresBench has its class, version, storage, scale, clients, threads, mode and length', () => {
  const study = shipped('postgresbench');
  expect(variant(study, 'gp3')).toMatchObject({
    class: 'db.m8gd.4xlarge',
    deployment: 'single-az',
    dedicatedLogVolume: false,
    storage: { type: 'gp3', sizeGib: 1000, iops: 16_000 },
    engine: { version: '18.3' },
  });
  expect(variant(study, 'io2').storage).toEqual({ type: 'io2', sizeGib: 1000, iops: 16_000 });
  expect(variant(study, 'io2-dlv')).toMatchObject({ storage: { type: 'io2', iops: 16_000 }, dedicatedLogVolume: true });
  expect(study.workload).toMatchObject({
    tool: 'pgbench',
    scale: 6849,
    clients: 256,
    threads: 16,
    queryMode: 'prepared',
    durationSeconds: 600,
    scripts: [{ builtin: 'tpcb-like', weight: 1 }],
  });
  expect(shipped('postgresbench', 'published').protocol).toMatchObject({ blocks: 3, order: 'fixed' });
});

test('version-upgrade compares 17 with 18 and nothing else', () => {
  const { variants } = shipped('version-upgrade');
  const [old, fresh] = Object.values(variants);
  expect([old?.engine.version, fresh?.engine.version]).toEqual(['17.11', '18.6']);
  const rest = [old, fresh].map((one) => ({ ...one, description: '', engine: { ...one?.engine, version: '' } }));
  expect(rest[0]).toEqual(rest[1]);
});

test.each([
  ...['dlv-pgbench', 'dlv-ladder', 'wal-placement', 'dlv-tprocc-multi-az', 'deployment-options', 'postgresbench'],
  'version-upgrade',
])('%s has the profiles smoke and local, and says where it comes from', (name) => {
  expect(loadExperiment(name, { folder: project }).profiles).toEqual(
    expect.arrayContaining(['full', 'smoke', 'local']),
  );
});
