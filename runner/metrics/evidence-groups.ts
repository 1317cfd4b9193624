import type { Metric } from '../contract/metric.ts';

interface EvidenceGroup {
  name: string;
  /** The first parts of the names of its metrics. */
  metrics: readonly string[];
  /** Whether only a load that writes can move them, or which of them. @default none */
  needsWrites?: 'all' | RegExp;
}

/** What evidence is about, in the order in which tables show it. */
const groups: readonly EvidenceGroup[] = [
  { name: 'Transaction time', metrics: ['turn'] },
  { name: 'Sessions', metrics: ['waits'] },
  { name: 'WAL', metrics: ['wal'], needsWrites: 'all' },
  {
    name: 'Checkpoints and buffers',
    metrics: ['checkpoints', 'backends', 'backgroundWriter'],
    needsWrites: 'all',
  },
  { name: 'Recovery after a crash', metrics: ['debt'], needsWrites: 'all' },
  { name: 'Volumes', metrics: ['walVolume'], needsWrites: 'all' },
  { name: 'Database', metrics: ['database', 'server'] },
  { name: 'Clients', metrics: ['client', 'latency', 'load', 'runtime', 'transactions'] },
  { name: 'Driver', metrics: ['driver', 'runner'] },
  { name: 'Operating system of the server', metrics: ['os'] },
  { name: 'CloudWatch', metrics: ['cloudwatch'], needsWrites: /LogVolume|transactionLogs/i },
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
  const { needsWrites } = evidenceGroup(metric);
  return needsWrites === 'all' || (needsWrites?.test(metric.name) ?? false);
}

function evidenceGroup({ name }: Pick<Metric, 'name'>): EvidenceGroup {
  const first = name.replace(/\..*/s, '');
  return groups.find(({ metrics }) => metrics.includes(first)) ?? other;
}
