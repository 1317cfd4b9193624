import type { Need } from '../collector.ts';
import { ratioOf } from '../../contract/metric.ts';
import { hasColumn } from '../../postgres/versions/known.ts';
import { metric } from '../metric.ts';
import { isOn, isUntimed } from '../needs.ts';
import { counterCollector } from './counters.ts';

const source = 'pg_stat_wal; from PostgreSQL 18 on writes, syncs and their times from pg_stat_io';
const imagesSource = 'pg_stat_wal, from PostgreSQL 19 on';
const compared = { compared: 'per-transaction', background: true, source } as const;

const metrics = [
  metric('seconds', 'wal.writeTime', 'WAL write time', compared),
  metric('seconds', 'wal.syncTime', 'WAL sync time', compared),
  metric('bytes', 'wal.bytes', 'WAL', compared),
  metric('average', 'wal.fullPageImages', 'full-page images', compared),
  metric('bytes', 'wal.fullPageImageBytes', 'WAL of full-page images', { ...compared, source: imagesSource }),
  metric('count', 'wal.records', 'WAL records', { source }),
  metric('bytes', 'wal.bytesPerTransaction', 'WAL per transaction', {
    source,
    perTransactionOf: 'wal.bytes',
    background: true,
    derive: (measures) => ratioOf(measures, 'wal.bytes', 'transactions'),
  }),
  metric('count', 'wal.writes', 'WAL writes', { source }),
  metric('bytes', 'wal.bytesPerWrite', 'WAL per write', {
    source,
    better: 'higher',
    derive: (measures) => ratioOf(measures, 'wal.bytes', 'wal.writes'),
  }),
  metric('count', 'wal.syncs', 'WAL syncs', { source }),
  metric('latency', 'wal.meanSyncTime', 'mean time of a WAL sync', {
    source,
    derive: (measures) => ratioOf(measures, 'wal.syncTime', 'wal.syncs'),
  }),
  metric('count', 'wal.buffersFull', 'WAL buffers full', { source }),
];

const needs: Need[] = [
  {
    setting: 'track_wal_io_timing',
    suffices: isOn,
    gap: 'writes and syncs of WAL are not timed',
    remedy: 'set it to on',
    metrics: /^wal\.(writeTime|syncTime)$/,
    everywhere: true,
    isDenied: (measures) =>
      isUntimed(measures['wal.writes'], measures['wal.writeTime']) ||
      isUntimed(measures['wal.syncs'], measures['wal.syncTime']),
  },
];

/**
 * Writes, syncs and their times moved to pg_stat_io in 18. As before, they are without those that fill new files: these
 * have a context of their own.
 */
export const wal = counterCollector({
  name: 'wal',
  metrics,
  needs,
  rows: ({ major }) => {
    const has = (column: string): boolean => hasColumn(major, 'pg_stat_wal', column);
    const counters = {
      'wal.records': 'wal_records',
      'wal.fullPageImages': 'wal_fpi',
      'wal.bytes': 'wal_bytes',
      'wal.buffersFull': 'wal_buffers_full',
      ...(has('wal_fpi_bytes') && { 'wal.fullPageImageBytes': 'wal_fpi_bytes' }),
    };
    const writes = {
      'wal.writes': 'wal_write',
      'wal.syncs': 'wal_sync',
      'wal.writeTime': 'wal_write_time / 1000',
      'wal.syncTime': 'wal_sync_time / 1000',
    };
    if (has('wal_write')) return [{ from: 'pg_stat_wal', counters: { ...counters, ...writes } }];
    return [
      { from: 'pg_stat_wal', counters },
      {
        from: `pg_stat_io WHERE object = 'wal' AND context = 'normal'`,
        counters: {
          'wal.writes': 'sum(writes)',
          'wal.syncs': 'sum(fsyncs)',
          'wal.writeTime': 'sum(write_time) / 1000',
          'wal.syncTime': 'sum(fsync_time) / 1000',
        },
        reset: 'max(stats_reset)',
      },
    ];
  },
});
