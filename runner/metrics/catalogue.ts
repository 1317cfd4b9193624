import { type ChangeFormat, changeFormat } from '../contract/format-change.ts';
import {
  isFamily,
  type Measures,
  memberOf,
  type MembersTable,
  type Metric,
  scriptMetric,
  partOf,
} from '../contract/metric.ts';
import { metricsOfTheLoad } from './load-metrics.ts';
import { metricsOfTheClient, metricsOfTheSchedule } from './client-metrics.ts';
import { awakeMetrics } from '../collect/driver/awake.ts';
import { collectors } from '../collect/registry.ts';
import { tools } from '../workloads/registry.ts';
import { toolCollectors } from '../workloads/registry.ts';
import { costMetrics } from './costs.ts';
import { derivedMetrics } from './derived.ts';

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
const metricsByScript: readonly Metric[] = [...metricsOfTheLoad, ...metricsOfTheSchedule]
  .filter(({ name }) => known.includes(name))
  .map((metric) => ({
    ...metric,
    name: scriptMetric(metric.name, '<script>'),
    label: `${metric.label} of <script>`,
    column: metric.label,
    statistic: undefined,
    ...(metric.inSentence !== undefined && { inSentence: `${metric.inSentence} of <script>` }),
    // It is the variant that is faster, not one of its scripts.
    changePhrase: undefined,
    // Other programs may delay one script more than the run.
    pace: metric.name === 'tps',
    // Skipped transactions belong to no script, so no script's figure counts them.
    countsLost: false,
    hidden: false,
    source: `${ownSources[metric.name] ?? metric.source}: for one script, if the workload has several`,
  }));

const scriptsTable: MembersTable = {
  id: 'scripts',
  title: 'Transactions, by script',
  what: 'script',
  placeholder: '<script>',
  inTerminal: true,
  notes: ['Transactions that failed or were skipped have no latency.'],
};

/**
 * Every metric there is, in the order in which tables show them. A metric is defined with the tool or the source that
 * measures it, or here.
 */
export const catalogue: readonly Metric[] = [
  ...metricsOfTheLoad,
  ...metricsOfTheSchedule,
  ...metricsByScript,
  ...costMetrics,
  ...tools.flatMap(({ metrics }) => metrics),
  ...[...collectors, ...toolCollectors].flatMap(({ metrics }) => metrics),
  ...awakeMetrics,
  ...metricsOfTheClient,
  ...derivedMetrics,
];

/** Every table of members of families, in the same order. */
export const membersTables: readonly MembersTable[] = [
  scriptsTable,
  ...[...tools, ...collectors, ...toolCollectors].flatMap(({ tables = [] }) => tables),
];

const byName = new Map(catalogue.map((metric) => [metric.name, metric]));
/** Those with the longest names first, so that `waits.sessions.<event>` is tried before `waits.<event>`. */
const families = catalogue.filter(isFamily).sort((a, b) => b.name.length - a.name.length);

/** The metric of this name, or the member of a family; undefined if only another version of pgduet has it. */
export function metricNamed(name: string): Metric | undefined {
  const family = familyOf(name);
  const part = family ? partOf(family, name) : null;
  return byName.get(name) ?? (family && part !== null ? memberOf(family, part) : undefined);
}

/** How changes of a metric are put into words. @param of the change that decides between percent and multiples. @default percent */
export function changesOf(name: string, of: number | null = null): ChangeFormat {
  return changeFormat(metricNamed(name)?.kind, of);
}

/** The members of a family that have values, in the order of their names. */
export function membersIn(family: Metric, measured: readonly { measures: Measures }[]): Metric[] {
  const names = new Set<string>();
  // Without a list of all names, which a large run has thousands of times.
  for (const { measures } of measured) {
    for (const name in measures) if (familyOf(name) === family) names.add(name);
  }
  const parts = [...names].map((name) => partOf(family, name) ?? '');
  return parts.sort().map((part) => memberOf(family, part));
}

/** Whether the metric is one of a family, such as that of one wait event; families have tables of their own. */
export function isMember(name: string): boolean {
  return familyOf(name) !== undefined;
}

/** Every trial of a run has the same names. */
const familiesFound = new Map<string, Metric | undefined>();

function familyOf(name: string): Metric | undefined {
  if (byName.has(name)) return undefined;
  if (!familiesFound.has(name)) {
    familiesFound.set(
      name,
      families.find((family) => partOf(family, name) !== null),
    );
  }
  return familiesFound.get(name);
}

/** Names of metrics that an experiment may declare as the one that decides. */
export const declarableMetrics: readonly string[] = catalogue
  .filter((metric) => metric.declarable && !isFamily(metric))
  .map(({ name }) => name);

/** Place of a metric in tables, for sorting; unknown metrics come last. */
export function metricRank(name: string): number {
  const known = familyOf(name)?.name ?? name;
  const rank = catalogue.findIndex((metric) => metric.name === known);
  return rank === -1 ? catalogue.length : rank;
}

/**
 * Metrics that a reader looks at first when a trial has just ended.
 *
 * @param declared the metric that decides
 */
function firstLookMetrics(declared: string): string[] {
  return [...new Set([declared, 'tps', 'latency.p99'])];
}

/** The measures among these that a reader looks at first; none if they are hidden. */
export function firstLookMeasures(measures: Measures, declared: string): Measures {
  return Object.fromEntries(
    firstLookMetrics(declared).flatMap((name) => (name in measures ? [[name, measures[name] ?? null]] : [])),
  );
}
