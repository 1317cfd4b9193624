import { describe, expect, it } from 'vitest';
import {
  findingsOf,
  reasonOfAbsence,
  type StandbyRow,
  withNamesOfTheirOwn,
} from '../../../runner/collect/postgres/replication.ts';

const startedAt = new Date('2026-11-22T10:00:00.000Z');
const row = (name: string, values: Partial<StandbyRow> = {}): StandbyRow => ({
  name,
  state: 'streaming',
  syncState: 'async',
  writeLag: null,
  flushLag: null,
  replayLag: null,
  sentLagBytes: 0,
  flushLagBytes: 0,
  replayLagBytes: 0,
  ...values,
});
const sampled = (...values: [number, StandbyRow[]][]) => ({
  samples: values.map(([seconds, value]) => ({ at: startedAt.getTime() + seconds * 1000, value })),
  missed: 0,
  lookSeconds: 0,
  failure: null,
});

describe('standbys', () => {
  it('have their mean lag, and one for each second; where all is replayed there is none', () => {
    const { measures, series, facts } = findingsOf(
      sampled(
        [-0.1, [row('one', { replayLag: 99 })]],
        [0.9, [row('one', { replayLag: 0.5, replayLagBytes: 3000 })]],
        [1.9, [row('one')]],
      ),
      startedAt,
    );
    expect(measures).toMatchObject({
      'replication.one.replayLag': 0.25,
      'replication.one.replayLagBytes': 1500,
      'replication.one.sentLagBytes': 0,
    });
    expect(series?.filter(({ name }) => name === 'replication.one.replayLag')).toEqual([
      { second: 0, name: 'replication.one.replayLag', value: 0.5 },
      { second: 1, name: 'replication.one.replayLag', value: 0 },
    ]);
    expect(facts?.standbys).toEqual([{ name: 'one', state: 'streaming', syncState: 'async' }]);
  });

  it('that came or went are told, each with what was seen last', () => {
    const { facts } = findingsOf(
      sampled([0, [row('one')]], [1, [row('two'), row('one', { syncState: 'sync' })]]),
      startedAt,
    );
    expect(facts?.standbys?.map(({ name, syncState }) => [name, syncState])).toEqual([
      ['one', 'sync'],
      ['two', 'async'],
    ]);
  });

  it('of one name are told apart', () => {
    expect(withNamesOfTheirOwn([row('walreceiver'), row('walreceiver'), row('x')]).map(({ name }) => name)).toEqual([
      'walreceiver',
      'walreceiver 2',
      'x',
    ]);
  });

  it('that are not there, or hidden, have no values, and this is said', () => {
    expect(reasonOfAbsence([])).toBe('no standby is connected');
    expect(reasonOfAbsence([row('one', { state: null })])).toContain('pg_monitor');
    expect(reasonOfAbsence([row('one')])).toBeNull();
  });

  it('that were not watched to the end come with a warning', () => {
    const { warnings } = findingsOf({ ...sampled([0, [row('one')]]), failure: new Error('gone') }, startedAt);
    expect(warnings).toEqual(['Monitoring of the standbys stopped early: gone']);
  });
});
