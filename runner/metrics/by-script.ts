import { type MembersTable, type Metric, ofScript } from '../contract/metric.ts';
import { metricsOfTheLoad } from './of-the-load.ts';
import { metricsOfTheSchedule } from './of-the-client.ts';

/** What is known of each script of a workload that has several. */
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
  // pgbench counts what it skips for whatever script the client had drawn next, hundreds in a row: by script, that is chance.
  'transactions.failed',
];

/** Where the figure of a script is not made as that of the run is. */
const ownSources: Readonly<Record<string, string>> = {
  'latency.withinLimit': '(transactions - transactions.late) / (transactions + failed), without what was skipped',
};

/** A family of each: `latency.p99@order` is the 99th percentile of the script `order` alone. */
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
    // What was skipped is of no script, so that no script's figure counts it.
    ofAllOffered: false,
    hidden: false,
    source: `${ownSources[metric.name] ?? metric.source}: of one script, where the workload has several`,
  }));

export const scriptsTable: MembersTable = {
  id: 'scripts',
  title: 'Transactions, by script',
  what: 'script',
  placeholder: '<script>',
  inTerminal: true,
  notes: ['Transactions that failed or were skipped have no latency.'],
};
