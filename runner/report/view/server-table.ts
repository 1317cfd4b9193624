import { clientTime } from '../../metrics/client-time.ts';
import type { FinishedTrial, Result } from '../../contract/result.ts';
import { inScale, type QuantityKind, scaleFor } from '../words/quantities.ts';
import { left, right, type Table } from './table.ts';
import { median } from '../../statistics/quantiles.ts';

interface Activity {
  label: string;
  kind: QuantityKind;
  value: (trial: FinishedTrial) => number | null;
}

const activities: readonly Activity[] = [
  { label: 'commits', kind: 'count', value: ({ server }) => server?.database?.commits ?? null },
  { label: 'rollbacks', kind: 'count', value: ({ server }) => server?.database?.rollbacks ?? null },
  { label: 'deadlocks', kind: 'count', value: ({ server }) => server?.database?.deadlocks ?? null },
  { label: 'WAL records', kind: 'count', value: ({ server }) => server?.wal?.records ?? null },
  { label: 'WAL full-page images', kind: 'count', value: ({ server }) => server?.wal?.fullPageImages ?? null },
  { label: 'WAL volume', kind: 'bytes', value: ({ server }) => server?.wal?.bytes ?? null },
  { label: 'WAL per transaction', kind: 'bytes', value: walBytesPerTransaction },
  { label: 'WAL writes', kind: 'count', value: ({ server }) => server?.wal?.writes ?? null },
  {
    label: 'WAL per write',
    kind: 'bytes',
    value: ({ server }) => ratio(server?.wal?.bytes ?? null, server?.wal?.writes ?? null),
  },
  { label: 'WAL syncs', kind: 'count', value: ({ server }) => server?.wal?.syncs ?? null },
  {
    label: 'mean time of a WAL sync',
    kind: 'latency',
    value: ({ server }) => ratio(server?.wal?.syncSeconds ?? null, server?.wal?.syncs ?? null),
  },
  {
    label: 'commits per WAL sync',
    kind: 'rate',
    value: ({ server }) => ratio(server?.database?.commits ?? null, server?.wal?.syncs ?? null),
  },
  { label: 'WAL buffers full', kind: 'count', value: ({ server }) => server?.wal?.buffersFull ?? null },
  { label: 'checkpoints, timed', kind: 'count', value: ({ server }) => server?.checkpoints?.timed ?? null },
  { label: 'checkpoints, requested', kind: 'count', value: ({ server }) => server?.checkpoints?.requested ?? null },
  {
    label: 'checkpoint write time',
    kind: 'duration',
    value: ({ server }) => server?.checkpoints?.writeSeconds ?? null,
  },
  { label: 'checkpoint sync time', kind: 'duration', value: ({ server }) => server?.checkpoints?.syncSeconds ?? null },
  {
    label: 'buffers written by checkpoints',
    kind: 'count',
    value: ({ server }) => server?.checkpoints?.buffersWritten ?? null,
  },
  {
    label: 'buffers written by backends',
    kind: 'count',
    value: ({ server }) => server?.checkpoints?.buffersWrittenByBackends ?? null,
  },
  {
    label: 'buffers written by background writer',
    kind: 'count',
    value: ({ server }) => server?.checkpoints?.buffersWrittenByBackgroundWriter ?? null,
  },
  { label: 'blocks found in shared buffers', kind: 'share', value: cacheHitShare },
  { label: 'temporary files', kind: 'bytes', value: ({ server }) => server?.database?.temporaryBytes ?? null },
  { label: 'database size at the end', kind: 'bytes', value: ({ server }) => server?.database?.sizeBytes ?? null },
];

const clientActivities: readonly Activity[] = [
  {
    label: 'client time per transaction',
    kind: 'latency',
    value: (trial) => clientTime(trial)?.seconds ?? null,
  },
  { label: 'client time, share of a turn', kind: 'share', value: (trial) => clientTime(trial)?.share ?? null },
];

/** Medians of the finished trials by variant; rows that nobody counted are left out. */
export function serverTable({ variants, trials, experiment }: Result): Table {
  const closedLoop = experiment.definition.workload.rate === undefined;
  const rows = [...activities, ...(closedLoop ? clientActivities : [])].flatMap(({ label, kind, value }) => {
    const values = variants.map(({ name }) =>
      median(
        trials.flatMap((trial) => (trial.state === 'finished' && trial.variant === name ? (value(trial) ?? []) : [])),
      ),
    );
    if (values.every((each) => each === null)) return [];
    const scale = scaleFor(kind, values);
    return [
      {
        cells: [scale.unit === '' ? label : `${label} (${scale.unit})`, ...values.map((each) => inScale(each, scale))],
      },
    ];
  });
  return {
    title: 'What server and driver were doing',
    columns: [left('per trial, median'), ...variants.map(({ name }) => right(name))],
    rows,
    notes: [
      'From the server’s own statistics, as differences between a snapshot before and one after each trial.',
      ...(closedLoop
        ? [
            'Client time is clients / TPS minus latency average: what a transaction’s turn took beyond its measured latency.',
          ]
        : []),
    ],
  };
}

/** WAL that one transaction cost, in bytes. */
export function walBytesPerTransaction({ run, server }: FinishedTrial): number | null {
  return ratio(server?.wal?.bytes ?? null, run.transactions);
}

function cacheHitShare({ server }: FinishedTrial): number | null {
  const database = server?.database;
  if (!database) return null;
  return ratio(database.blocksHit, database.blocksHit + database.blocksRead);
}

function ratio(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : part / whole;
}
