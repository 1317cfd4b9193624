import type { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import type { CollectedTrial } from '../../../runner/collect/collector.ts';
import { countersOf, findingsOf, type IoRow, serverIo } from '../../../runner/collect/postgres/server-io.ts';
import { gapsShown, withoutGaps } from '../../../runner/collect/needs.ts';
import { metricNamed } from '../../../runner/metrics/catalogue.ts';
import { valueOf } from '../../../runner/metrics/value.ts';
import { measuredSince } from '../../helpers/samples/measured-part.ts';

const row = (backend: string, values: Partial<IoRow>): IoRow => ({
  backend,
  reset: '2026-11-22 10:00:00+00',
  reads: null,
  writes: null,
  extends: null,
  fsyncs: null,
  bytesWritten: null,
  readTime: null,
  writeTime: null,
  fsyncTime: null,
  ...values,
});
const at = (rows: IoRow[]) => ({ serverStartedAt: 'monday', ...countersOf(rows) });
const client = 'client backend/relation/normal';

describe('I/O of the server', () => {
  it('is told of the rows in which anything was counted, without columns that they have not', () => {
    const idle = row('autovacuum worker/relation/vacuum', { reads: '7', writes: '1' });
    const { measures } = findingsOf(
      at([row(client, { reads: '10', writes: '0', readTime: '0.5' }), idle]),
      at([row(client, { reads: '25', writes: '0', readTime: '0.75' }), idle]),
    );
    expect(measures).toEqual({
      [`io.${client}.reads`]: 15,
      [`io.${client}.writes`]: 0,
      [`io.${client}.readTime`]: 0.25,
      'io.backends': 1,
    });
  });

  it('has no value of a time that the server does not measure, and not zero either', () => {
    const untimed = at([row(client, { reads: '10', readTime: '0' })]);
    const found = findingsOf(untimed, at([row(client, { reads: '25', readTime: '0' })]));
    const inForce = new Map([['track_io_timing', { value: 'off', isOfSessions: false }]]);
    const { measures = {}, facts } = withoutGaps(serverIo, found, inForce);
    expect(measures).toMatchObject({ [`io.${client}.reads`]: 15, [`io.${client}.readTime`]: null });
    const readTime = metricNamed(`io.${client}.readTime`);
    expect(readTime && valueOf(readTime, { measures })).toBeNull();
    expect(facts?.absent?.['server-io']).toMatch(/^track_io_timing is off/);
  });

  it('is told of timed rows that took no time: their sessions did not measure it', () => {
    const counted = { [`io.${client}.reads`]: 500, [`io.${client}.readTime`]: 0, [`io.${client}.writeTime`]: 0.2 };
    const [gaps] = gapsShown([serverIo], counted);
    expect(gaps?.measures).toEqual({ [`io.${client}.readTime`]: null, [`io.${client}.writeTime`]: null });
  });

  it('is not told if its counters were reset in between', () => {
    const found = findingsOf(at([row(client, { reads: '1' })]), at([row(client, { reads: '9', reset: 'later' })]));
    expect(found).toEqual({
      facts: { counterProblems: ['the counters of server-io were reset during the trial (later)'] },
    });
  });

  it.each([
    [16, '(writes * op_bytes)::text'],
    [17, '(writes * op_bytes)::text'],
    [18, 'write_bytes::text'],
  ])('of version %i is asked by the columns that it has', async (serverMajor, column) => {
    const asked: string[] = [];
    const query = (text: string) => {
      asked.push(text);
      return Promise.resolve({
        rows: text.includes('pg_stat_io') ? [row(client, { reads: '1' })] : [{ started: 'x' }],
      });
    };
    const database = (use: (one: Client) => Promise<unknown>) => use({ query } as unknown as Client);
    const collection = await serverIo.start?.({ serverMajor, database } as unknown as CollectedTrial);
    expect((await collection?.stop?.(measuredSince(new Date())))?.measures).toEqual({ 'io.backends': 0 });
    expect(asked.join()).toContain(column);
  });

  it('before version 16 is not there, and this is said', async () => {
    const collection = await serverIo.start?.({ serverMajor: 15 } as CollectedTrial);
    expect(await collection?.stop?.(measuredSince(new Date()))).toEqual({
      facts: { absent: { 'server-io': 'the view pg_stat_io needs PostgreSQL 16 or newer, and this server is 15' } },
    });
  });
});
