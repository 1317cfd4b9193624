import type { Metric } from '../../../contract/metric.ts';

/** A metric of the namespace AWS/RDS, and what pgduet makes of it. */
export interface Published {
  /** Name in CloudWatch. */
  name: string;
  metric: Metric;
  /** The same metric for a reader of a cluster; absent if it is not collected for readers. */
  readerMetric?: Metric;
  /** Factor that turns its values into base units. */
  scale: number;
  /** The value of a trial: the mean of its minutes, the least, or the most. */
  over: 'mean' | 'least' | 'most';
  /** CloudWatch's name of the operations that it is a mean of: each minute is weighted by its number of operations. */
  weight?: string;
  /** What publishes it. @default the instance */
  of?: 'proxy';
  /** CloudWatch's statistic. A proxy consists of several hosts, each with its part of a number. */
  statistic: 'Average' | 'Sum';
  /**
   * Which instances must have it in each minute: `always` for all, `log-volume` for those with a dedicated log volume.
   */
  expected: 'always' | 'log-volume' | 'perhaps';
}

type Row = Pick<Metric, 'label' | 'unit' | 'kind' | 'better'> &
  Partial<Omit<Published, 'name' | 'metric' | 'readerMetric'>> & { readers?: boolean; as?: string };

const rate = { unit: '1/s', kind: 'rate', better: 'lower' } as const;
const seconds = { unit: 's', kind: 'latency', better: 'lower' } as const;
const bytesPerSecond = { unit: 'B/s', kind: 'bytes', better: 'lower' } as const;
const bytes = { unit: 'B', kind: 'bytes', better: 'lower' } as const;
const number = { unit: '1', kind: 'rate', better: 'lower' } as const;
/** CloudWatch reports these in percent. */
const share = { unit: '1', kind: 'share', scale: 0.01 } as const;
const left = { ...share, better: 'higher', over: 'least' } as const;
const readers = true;
/** Of RDS Proxy, in an interval of a minute. */
const proxyNumber = { ...number, of: 'proxy', statistic: 'Sum', expected: 'always' } as const;

function volumeRows(suffix: string, what: string, expected: Published['expected'], also: { readers?: boolean }) {
  const row = (name: string, rest: Omit<Row, 'expected'>): [string, Row] => [
    `${name}${suffix}`,
    { ...rest, label: `${what}: ${rest.label}`, expected },
  ];
  return [
    row('ReadIOPS', { ...rate, label: 'reads per second' }),
    row('WriteIOPS', { ...rate, ...also, label: 'writes per second' }),
    row('ReadLatency', { ...seconds, label: 'time of a read', weight: `ReadIOPS${suffix}` }),
    row('WriteLatency', { ...seconds, ...also, label: 'time of a write', weight: `WriteIOPS${suffix}` }),
    row('ReadThroughput', { ...bytesPerSecond, label: 'read per second' }),
    row('WriteThroughput', { ...bytesPerSecond, ...also, label: 'written per second' }),
    row('DiskQueueDepth', { ...number, ...also, label: 'waiting operations' }),
  ];
}

/**
 * Units and meanings come from "Amazon CloudWatch instance-level metrics for Amazon RDS" and "Monitoring RDS Proxy metrics with
 * Amazon CloudWatch" in RDS's user guide. It does not say whether the metrics without `LogVolume` exclude the log volume.
 */
const rows: readonly [string, Row][] = [
  ...volumeRows('', 'storage', 'always', { readers }),
  ...volumeRows('LogVolume', 'log volume', 'log-volume', {}),
  [
    'FreeStorageSpaceLogVolume',
    { ...bytes, better: 'higher', label: 'log volume: free, least', over: 'least', expected: 'log-volume' },
  ],
  ['CPUUtilization', { ...share, better: 'lower', label: 'processors busy', readers, expected: 'always' }],
  [
    'FreeableMemory',
    { ...bytes, better: 'higher', label: 'memory available, least', over: 'least', expected: 'always' },
  ],
  ['NetworkReceiveThroughput', { ...bytesPerSecond, label: 'received per second', readers, expected: 'always' }],
  ['NetworkTransmitThroughput', { ...bytesPerSecond, label: 'sent per second', expected: 'always' }],
  ['BurstBalance', { ...left, label: 'burst credits left, minimum' }],
  ['EBSIOBalance%', { ...left, label: 'EBS operation credits left, minimum' }],
  ['EBSByteBalance%', { ...left, label: 'EBS throughput credits left, minimum' }],
  ['CPUCreditBalance', { ...number, better: 'higher', label: 'processor credits left, least', over: 'least' }],
  ['ReplicaLag', { ...seconds, label: 'replica lag, most', over: 'most', readers }],
  ['OldestReplicationSlotLag', { ...bytes, label: 'lag of the oldest replication slot, maximum', over: 'most' }],
  ['TransactionLogsDiskUsage', { ...bytes, label: 'WAL on disk, most', over: 'most' }],
  ['TransactionLogsGeneration', { ...bytesPerSecond, label: 'WAL generated per second' }],
  ['ClientConnections', { ...proxyNumber, as: 'proxy.clientConnections', label: 'RDS Proxy: client connections' }],
  ['DatabaseConnections', { ...proxyNumber, as: 'proxy.databaseConnections', label: 'RDS Proxy: pool sessions' }],
  [
    'DatabaseConnectionsCurrentlySessionPinned',
    { ...proxyNumber, as: 'proxy.pinnedSessions', label: 'RDS Proxy: sessions pinned to one client' },
  ],
  [
    'DatabaseConnectionsBorrowLatency',
    // In microseconds.
    { ...seconds, of: 'proxy', scale: 1e-6, as: 'proxy.borrowLatency', label: 'RDS Proxy: time to get a session' },
  ],
];

export const published: readonly Published[] = rows.map(
  ([
    name,
    {
      label,
      unit,
      kind,
      better,
      readers: forReaders,
      scale = 1,
      over = 'mean',
      expected = 'perhaps',
      statistic = 'Average',
      weight,
      of,
      as,
    },
  ]) => {
    const derived = `${name[0]?.toLowerCase() ?? ''}${name.slice(1).replace('%', '')}`
      .replace(/^cPU/, 'cpu')
      .replace(/^eBS/, 'ebs');
    const own = as ?? derived;
    const source = `CloudWatch, AWS/RDS ${name}: whole minutes of the trial`;
    const metric: Metric = {
      unit,
      kind,
      better,
      source,
      compared: null,
      name: `cloudwatch.${own}`,
      label: `CloudWatch: ${label}`,
    };
    return {
      name,
      metric,
      scale,
      over,
      expected,
      statistic,
      ...(of && { of }),
      ...(weight === undefined ? {} : { weight }),
      ...(forReaders
        ? {
            readerMetric: {
              ...metric,
              name: `cloudwatch.<member>.${own}`,
              label: `CloudWatch, <member>: ${label}`,
              source: `${source}, for each reader of a cluster`,
            },
          }
        : {}),
    };
  },
);

const perWrite = { unit: 'B', kind: 'bytes', better: 'higher', compared: 'ratio' } as const;
/** Bytes per write: whether a volume merges small writes into larger ones. */
export const bytesPerWrite: readonly { suffix: string; metric: Metric }[] = [
  {
    suffix: '',
    metric: {
      ...perWrite,
      name: 'cloudwatch.bytesPerWrite',
      label: 'CloudWatch: storage: bytes per write',
      source: 'CloudWatch: WriteThroughput / WriteIOPS over the whole minutes of the trial',
    },
  },
  {
    suffix: 'LogVolume',
    metric: {
      ...perWrite,
      name: 'cloudwatch.logVolumeBytesPerWrite',
      label: 'CloudWatch: log volume: bytes per write',
      source: 'CloudWatch: WriteThroughputLogVolume / WriteIOPSLogVolume over the whole minutes of the trial',
    },
  },
];
