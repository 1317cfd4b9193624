import type { Metric } from '../contract/metric.ts';

/** What evidence is about, in the order in which tables show it, with the first parts of the names of its metrics. */
const namesByGroup: readonly (readonly [group: string, names: readonly string[]])[] = [
  ['Transaction time', ['turn']],
  ['Sessions', ['waits']],
  ['WAL', ['wal']],
  ['Checkpoints and buffers', ['checkpoints', 'backends', 'backgroundWriter']],
  ['Recovery after a crash', ['debt']],
  ['Volumes', ['walVolume']],
  ['Database', ['database', 'server']],
  ['Clients', ['client', 'latency', 'load', 'runtime', 'transactions']],
  ['Driver', ['driver', 'runner']],
  ['Operating system of the server', ['os']],
  ['CloudWatch', ['cloudwatch']],
  ['Performance Insights', ['insights']],
];
const other = 'Other';

export const evidenceGroups: readonly string[] = [...namesByGroup.map(([group]) => group), other];

/** Such as `WAL` for `wal.bytes`; every metric has a group. */
export function groupOf({ name }: Pick<Metric, 'name'>): string {
  const first = name.replace(/\..*/s, '');
  return namesByGroup.find(([, names]) => names.includes(first))?.[0] ?? other;
}
