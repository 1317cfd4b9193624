import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CollectedTrial } from '../../../runner/collect/collector.ts';
import {
  type DeviceCounters,
  parseDeviceStat,
  parseJournalCommits,
} from '../../../runner/collect/driver/block-device.ts';
import { findingsOf, volumeRates, volumes } from '../../../runner/collect/driver/volumes.ts';
import { measuredSince } from '../../helpers/samples/measured-part.ts';

/** Of a loop device on Linux 6.18, as captured. */
const stat =
  '   11587        0    77996     6002   155140   107374 19593612  1099728        0   230488  1187678        0        0        0        0    60933    81947\n';
const none: DeviceCounters = {
  reads: 0,
  bytesRead: 0,
  readTime: 0,
  writes: 0,
  bytesWritten: 0,
  writeTime: 0,
  busyTime: 0,
  queueTime: 0,
  flushes: 0,
  flushTime: 0,
  journalCommits: 0,
};
const data = { name: 'data', device: '7:0', iopsLimit: 400, throughputLimit: null };
const startedAt = new Date('2026-11-22T10:00:00.000Z');

describe('the counters of a block device', () => {
  it('are read from what Linux says of it', () => {
    expect(parseDeviceStat(stat)).toEqual({
      reads: 11587,
      bytesRead: 77996 * 512,
      readTime: 6.002,
      writes: 155140,
      bytesWritten: 19593612 * 512,
      writeTime: 1099.728,
      busyTime: 230.488,
      queueTime: 1187.678,
      flushes: 60933,
      flushTime: 81.947,
    });
  });

  it('have no flushes where the kernel does not count them', () => {
    expect(parseDeviceStat(stat.trim().split(/\s+/).slice(0, 11).join(' '))).toMatchObject({
      flushes: 0,
      flushTime: 0,
    });
  });

  it('are any numbers, but never something else', () => {
    const numbers = fc.array(fc.nat(), { minLength: 11, maxLength: 20 });
    fc.assert(
      fc.property(numbers, (all) => {
        expect(parseDeviceStat(all.join('   '))).toMatchObject({
          reads: all[0],
          writes: all[4],
          flushes: all[15] ?? 0,
        });
      }),
    );
    const texts = fc.oneof(
      fc.constantFrom('', '1 2 3', `${stat} x`),
      fc.array(fc.nat(), { maxLength: 10 }).map(String),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(() => parseDeviceStat(text)).toThrow('no counters');
      }),
    );
  });

  it('come with the commits of its journal', () => {
    expect(parseJournalCommits('131 transactions (130 requested), each up to 2730 blocks\naverage:\n')).toBe(131);
    expect(parseJournalCommits('')).toBe(0);
  });
});

describe('the rates of a volume', () => {
  it.each([
    ['that writes in place', { writes: 200, flushes: 100, journalCommits: 0 }, 100],
    ['whose files grow', { writes: 300, flushes: 200, journalCommits: 100 }, 300],
    ['that only flushes', { writes: 100, flushes: 100, journalCommits: 0 }, 0],
    ['without a flush', { writes: 100, flushes: 0, journalCommits: 1 }, 100],
  ])('%s are those of writes that carry data', (_, counted, writes) => {
    expect(volumeRates({ ...none, ...counted }, data).writes).toBe(writes);
  });

  it('do not count the time of a flush twice', () => {
    const counters = { writes: 200, writeTime: 0.312, flushes: 100, flushTime: 0.129, queueTime: 0.441 };
    const rates = volumeRates({ ...none, ...counters }, data);
    expect(rates.writeLatency).toBeCloseTo(0.00183);
    expect(rates.flushLatency).toBeCloseTo(0.00129);
    expect(rates.queue).toBeCloseTo(0.312);
  });

  it('are shares of the limit, of which a large I/O takes several', () => {
    const small = { ...none, reads: 100, writes: 100, bytesWritten: 100 * 8192 };
    expect(volumeRates(small, data).iopsShare).toBe(0.5);
    const large = { ...none, writes: 50, bytesWritten: 50 * 2 ** 20 };
    expect(volumeRates(large, data).iopsShare).toBe(0.5);
    expect(volumeRates(large, { ...data, throughputLimit: 100 * 2 ** 20 }).throughputShare).toBe(0.5);
  });

  it('say nothing of latency where there was no I/O, nor of shares where there is no limit', () => {
    expect(volumeRates(none, { ...data, iopsLimit: null })).toMatchObject({
      writes: 0,
      readLatency: null,
      writeLatency: null,
      flushLatency: null,
      iopsShare: null,
      throughputShare: null,
    });
  });
});

const samplesOf = (writes: number[]) =>
  writes.map((count, second) => ({
    at: startedAt.getTime() + second * 1000,
    value: new Map([['data', { ...none, writes: count, writeTime: count / 1000 }]]),
  }));

describe('the volumes of a server', () => {
  it('have measures and series under their names, and the share of seconds at their limit', () => {
    const { measures = {}, series = [] } = findingsOf(samplesOf([5000, 5390, 5490, 5870, 5870]), [data], startedAt);
    expect(measures).toMatchObject({ 'volumes.data.iopsLimit': 400, 'volumes.data.limitReached': 0.5 });
    expect(measures['volumes.data.writes']).toBeCloseTo(217.5);
    expect(series.filter(({ name }) => name === 'volumes.data.iopsShare').map(({ value }) => value)).toEqual([
      0.975, 0.25, 0.95, 0,
    ]);
    expect(series.filter(({ name }) => name === 'volumes.data.writeLatency')).toHaveLength(3);
  });

  it('whose counters began anew tell nothing but their limit', () => {
    const { measures, series } = findingsOf(samplesOf([5000, 10]), [data], startedAt);
    expect({ measures, series }).toEqual({ measures: { 'volumes.data.iopsLimit': 400 }, series: [] });
  });

  it.each([
    ['elsewhere', undefined, 'the volumes are not on this machine'],
    ['plain folders', [{ ...data, device: null }], 'the volumes are plain folders on a shared disk'],
  ])('that are %s have no values, and this is said', async (_, placed, reason) => {
    const collection = await volumes.start?.({ volumes: placed } as unknown as CollectedTrial);
    expect(await collection?.stop?.(measuredSince(startedAt))).toEqual({ facts: { absent: { volumes: reason } } });
  });

  it('whose device is gone have no values, and this is said', async () => {
    const gone = [{ ...data, device: '0:0' }];
    const collection = await volumes.start?.({ volumes: gone } as unknown as CollectedTrial);
    expect((await collection?.stop?.(measuredSince(startedAt)))?.facts?.absent).toEqual({
      volumes: expect.stringContaining('ENOENT') as string,
    });
  });
});
