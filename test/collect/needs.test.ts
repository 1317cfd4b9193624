import { describe, expect, it } from 'vitest';
import type { Collector } from '../../runner/collect/collector.ts';
import { gapsShown, type SettingsInForce, withoutGaps } from '../../runner/collect/needs.ts';
import { collectors } from '../../runner/collect/registry.ts';
import { isFamily, memberName } from '../../runner/contract/metric.ts';

function inForce(settings: Record<string, string>, isOfSessions = false): SettingsInForce {
  return new Map(Object.entries(settings).map(([name, value]) => [name, { value, isOfSessions }]));
}

function sourceOf(name: string): Collector {
  const found = collectors.find((one) => one.name === name);
  if (!found) throw new Error(`no source ${name}`);
  return found;
}

const database = sourceOf('database');
const wal = sourceOf('wal');

describe('what a server does not count', () => {
  it('is null and named, and the rest of the same source stays', () => {
    const zeros = { 'database.deadlocks': 0, 'database.blocksHit': 0, 'database.autovacuums': 0 };
    const found = withoutGaps(
      database,
      { measures: { ...zeros, 'database.rollbacks': 3, 'database.size': 8e6 } },
      inForce({ track_counts: 'off', track_io_timing: 'on' }),
    );
    expect(found.measures).toEqual({
      'database.deadlocks': null,
      'database.blocksHit': null,
      'database.autovacuums': null,
      'database.rollbacks': 3,
      'database.size': 8e6,
    });
    expect(found.facts?.absent).toEqual({
      database:
        'track_counts is off, so deadlocks, blocks, temporary files and autovacuum are not counted: set it to on',
    });
  });

  it('by two parameters has two reasons', () => {
    const found = withoutGaps(
      database,
      { measures: { 'database.blocksRead': 0, 'database.readTime': 0 } },
      inForce({ track_counts: 'off', track_io_timing: 'off' }),
    );
    expect(found.measures).toEqual({ 'database.blocksRead': null, 'database.readTime': null });
    expect(found.facts?.absent?.['database']).toMatch(/^track_counts is off.*; track_io_timing is off/);
  });

  it('is nothing with these parameters on, and by those that the server does not know', () => {
    const found = { measures: { 'database.blocksRead': 0, 'database.readTime': 0 } };
    expect(withoutGaps(database, found, inForce({ track_counts: 'on', track_io_timing: 'on' }))).toEqual(found);
    expect(withoutGaps(database, found, new Map())).toEqual(found);
  });

  it('includes what only sessions of the load count where processes of the server do the same work', () => {
    const found = { measures: { 'wal.syncs': 900, 'wal.syncTime': 0.4 } };
    const settings = inForce({ track_wal_io_timing: 'on' }, true);
    expect(withoutGaps(wal, found, settings).measures).toEqual({ 'wal.syncs': 900, 'wal.syncTime': null });
    expect(withoutGaps(wal, found, inForce({ track_wal_io_timing: 'on' }))).toEqual(found);
  });

  it.each([
    ['wait-events', 'track_activities', 'off'],
    ['statements', 'compute_query_id', 'off'],
    ['statements', 'pg_stat_statements.track', 'none'],
    ['logged-checkpoints', 'log_checkpoints', 'off'],
    ['logged-checkpoints', 'log_min_messages', 'panic'],
    ['logged-checkpoints', 'lc_messages', 'de_DE.UTF-8'],
    ['logged-checkpoints', 'log_line_prefix', '%s '],
    ['logged-checkpoints', 'log_line_prefix', ''],
  ])('by %s is all of it with %s = "%s"', (name, setting, value) => {
    const found = { measures: { some: 0 }, facts: { checkpoints: [] } };
    const { measures, facts } = withoutGaps(sourceOf(name), found, inForce({ [setting]: value }));
    expect(measures).toBeUndefined();
    expect(facts).toEqual({ absent: { [name]: expect.stringContaining(setting) as string } });
  });

  it.each(['%m:%r:%u@%d:[%p]:', '%t:%r:%u@%d:[%p]:', '[%p] %n ', '%% %-24m %s '])(
    'is nothing of the log with the prefix "%s"',
    (value) => {
      const found = { facts: { checkpoints: [] } };
      expect(withoutGaps(sourceOf('logged-checkpoints'), found, inForce({ log_line_prefix: value }))).toEqual(found);
    },
  );
});

describe('what sessions of the load have switched off for themselves', () => {
  const gapsOf = (measures: Record<string, number | null>) =>
    gapsShown([database, wal], measures).flatMap((found) => Object.keys(found.measures ?? {}));

  it('is told by many operations that took no time', () => {
    expect(gapsOf({ 'wal.syncs': 900, 'wal.syncTime': 0, 'wal.writeTime': 0.1 })).toEqual([
      'wal.syncTime',
      'wal.writeTime',
    ]);
    expect(gapsOf({ 'database.blocksRead': 5000, 'database.readTime': 0 })).toEqual(['database.readTime']);
    expect(gapsOf({ 'wal.syncs': 0, 'wal.syncTime': 0 })).toEqual([]);
  });

  it('is told by transactions that touched no block, unless something else was counted', () => {
    const zeros = { 'database.blocksRead': 2, 'database.blocksHit': 90, 'database.deadlocks': 0 };
    expect(gapsOf({ ...zeros, transactions: 1000 })).toEqual(Object.keys(zeros));
    expect(gapsOf({ ...zeros, transactions: 1000, 'database.temporaryBytes': 8192 })).toEqual([]);
    expect(gapsOf({ ...zeros, transactions: 20 })).toEqual([]);
  });
});

describe('every need of a source', () => {
  const needs = collectors.flatMap(({ metrics, needs: own = [] }) => own.map((need) => ({ need, metrics })));
  it.each(needs.filter(({ need }) => need.metrics !== undefined))('$need.setting is about metrics of it', (one) => {
    const { need, metrics } = one;
    const names = metrics.flatMap((metric) =>
      isFamily(metric)
        ? ['client backend/relation/normal', 'client backend/wal/normal'].map((part) => memberName(metric, part))
        : [metric.name],
    );
    expect(names.filter((name) => need.metrics?.test(name))).not.toEqual([]);
  });
});
