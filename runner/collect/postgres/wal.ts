import type { Need } from '../collector.ts';
import { type Metric, ratioOf } from '../../contract/metric.ts';
import { hasColumn } from '../../postgres/versions/known.ts';
import { isOn, isUntimed } from '../needs.ts';
import { counterCollector } from './counters.ts';

const source = 'pg_stat_wal; from PostgreSQL 18 on writes, syncs and their times from pg_stat_io';
const imagesSource = 'pg_stat_wal, from PostgreSQL 19 on';
const shown = { better: 'lower', compared: null, source } as const;
const compared = { better: 'lower', compared: 'per-transaction', background: true, source } as const;

const metrics: Metric[] = [
  { name: 'wal.writeTime', label: 'WAL write time', unit: 's', kind: 'duration', ...compared },
  { name: 'wal.syncTime', label: 'WAL sync time', unit: 's', kind: 'duration', ...compared },
  { name: 'wal.bytes', label: 'WAL', unit: 'B', kind: 'bytes', ...compared },
  { name: 'wal.fullPageImages', label: 'full-page images', unit: '1', kind: 'rate', ...compared },
  {
    name: 'wal.fullPageImageBytes',
    label: 'WAL of full-page images',
    unit: 'B',
    kind: 'bytes',
    ...compared,
    source: imagesSource,
  },
  { name: 'wal.records', label: 'WAL records', unit: '1', kind: 'count', ...shown },
  {
    name: 'wal.bytesPerTransaction',
    label: 'WAL per transaction',
    unit: 'B',
    kind: 'bytes',
    ...shown,
    perTransactionOf: 'wal.bytes',
    background: true,
    derive: (measures) => ratioOf(measures, 'wal.bytes', 'transactions'),
  },
  { name: 'wal.writes', label: 'WAL writes', unit: '1', kind: 'count', ...shown },
  {
    name: 'wal.bytesPerWrite',
    label: 'WAL per write',
    unit: 'B',
    kind: 'bytes',
    ...shown,
    better: 'higher',
    derive: (measures) => ratioOf(measures, 'wal.bytes', 'wal.writes'),
  },
  { name: 'wal.syncs', label: 'WAL syncs', unit: '1', kind: 'count', ...shown },
  {
    name: 'wal.meanSyncTime',
    label: 'mean time of a WAL sync',
    unit: 's',
    kind: 'latency',
    ...shown,
    derive: (measures) => ratioOf(measures, 'wal.syncTime', 'wal.syncs'),
  },
  { name: 'wal.buffersFull', label: 'WAL buffers full', unit: '1', kind: 'count', ...shown },
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

export const wal = counterCollector({ name: 'wal', metrics, needs, queries: ({ major }) => walQueries(major) });

/**
 * Writes, syncs and their times moved to pg_stat_io in 18. As before, they are without those that fill new files: these
 * have a context of their own.
 */
function walQueries(major: number): string[] {
  const has = (column: string): boolean => hasColumn(major, 'pg_stat_wal', column);
  const imageBytes = has('wal_fpi_bytes') ? `, wal_fpi_bytes::text AS "wal.fullPageImageBytes"` : '';
  const counted = `wal_records::text AS "wal.records", wal_fpi::text AS "wal.fullPageImages",
    wal_bytes::text AS "wal.bytes", wal_buffers_full::text AS "wal.buffersFull", stats_reset::text AS reset_wal${imageBytes}`;
  if (has('wal_write')) {
    return [
      `SELECT ${counted}, wal_write::text AS "wal.writes", wal_sync::text AS "wal.syncs",
        (wal_write_time / 1000)::text AS "wal.writeTime", (wal_sync_time / 1000)::text AS "wal.syncTime"
        FROM pg_stat_wal`,
    ];
  }
  return [
    `SELECT ${counted} FROM pg_stat_wal`,
    `SELECT sum(writes)::text AS "wal.writes", sum(fsyncs)::text AS "wal.syncs",
      (sum(write_time) / 1000)::text AS "wal.writeTime", (sum(fsync_time) / 1000)::text AS "wal.syncTime",
      max(stats_reset)::text AS reset_io
      FROM pg_stat_io WHERE object = 'wal' AND context = 'normal'`,
  ];
}
