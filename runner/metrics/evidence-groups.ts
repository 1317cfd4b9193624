import type { Metric } from '../contract/metric.ts';

interface EvidenceGroup {
  name: string;
  /** The first parts of the names of its metrics. */
  metrics: readonly string[];
  /** Whether only a load that writes can move them. @default false */
  isOfWrites?: true;
}

/** What evidence is about, in the order in which tables show it. */
const groups: readonly EvidenceGroup[] = [
  { name: 'Transaction time', metrics: ['turn'] },
  { name: 'Sessions', metrics: ['waits'] },
  { name: 'WAL', metrics: ['wal'], isOfWrites: true },
  {
    name: 'Checkpoints and buffers',
    metrics: ['checkpoints', 'backends', 'backgroundWriter'],
    isOfWrites: true,
  },
  { name: 'Recovery after a crash', metrics: ['debt'], isOfWrites: true },
  { name: 'Volumes', metrics: ['walVolume'], isOfWrites: true },
  { name: 'Database', metrics: ['database', 'server'] },
  { name: 'Clients', metrics: ['client', 'latency', 'load', 'runtime', 'transactions'] },
  { name: 'Driver', metrics: ['driver', 'runner'] },
  { name: 'Operating system of the server', metrics: ['os'] },
  { name: 'CloudWatch', metrics: ['cloudwatch'] },
  { name: 'Performance Insights', metrics: ['insights'] },
];
const other: EvidenceGroup = { name: 'Other', metrics: [] };

export const evidenceGroups: readonly string[] = [...groups, other].map(({ name }) => name);

/** Such as `WAL` for `wal.bytes`; every metric has a group. */
export function groupOf(metric: Pick<Metric, 'name'>): string {
  return evidenceGroup(metric).name;
}

/** Whether only a load that writes can move it. */
export function isOfWrites(metric: Pick<Metric, 'name'>): boolean {
  return evidenceGroup(metric).isOfWrites ?? false;
}

function evidenceGroup({ name }: Pick<Metric, 'name'>): EvidenceGroup {
  const first = name.replace(/\..*/s, '');
  return groups.find(({ metrics }) => metrics.includes(first)) ?? other;
}
