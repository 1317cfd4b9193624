import { type MembersTable, type Metric, ofScript } from '../contract/metric.ts';
import { metricsOfTheLoad } from './of-the-load.ts';
import { metricsOfTheSchedule } from './of-the-client.ts';

/** Metrics that are known for each script of a workload that has several. */
const known = [
  'tps',
  'latency.average',
  'latency.p50',
  'latency.p95',
  'latency.p99',
  'latency.p999',
  'latency.max',
  'latency.withinLimit',
  'transactions',
  // Without skipped transactions: pgbench counts them for the script that a client drew next, hundreds in a row. By
  // script, their number is chance.
  'transactions.failed',
];

/** Sources of figures that are made differently for a script than for the run. */
const ownSources: Readonly<Record<string, string>> = {
  'latency.withinLimit': '(transactions - transactions.late) / (transactions + failed), without skipped transactions',
};

/** A family for each: `latency.p99@order` is the 99th percentile of the script `order` alone. */
export const metricsByScript: readonly Metric[] = [...metricsOfTheLoad, ...metricsOfTheSchedule]
  .filter(({ name }) => known.includes(name))
  .map((metric) => ({
    ...metric,
    name: ofScript(metric.name, '<script>'),
    label: `${metric.label} of <script>`,
    column: metric.label,
    ...(metric.inSentence !== undefined && { inSentence: `${metric.inSentence} of <script>` }),
    // It is the variant that is faster, not one of its scripts.
    told: undefined,
    // Skipped transactions belong to no script, so no script's figure counts them.
    ofAllOffered: false,
    hidden: false,
    source: `${ownSources[metric.name] ?? metric.source}: for one script, if the workload has several`,
  }));

export const scriptsTable: MembersTable = {
  id: 'scripts',
  title: 'Transactions, by script',
  what: 'script',
  placeholder: '<script>',
  inTerminal: true,
  notes: ['Transactions that failed or were skipped have no latency.'],
};
