import { collectors } from '../collect/registry.ts';
import { isFamily, type Measures, memberOf, type MembersTable, type Metric, partOf } from '../contract/metric.ts';
import { tools } from '../workloads/every-tool.ts';
import { toolCollectors } from '../workloads/tool-collectors.ts';
import { costMetrics } from './costs.ts';
import { metricsByScript, scriptsTable } from './by-script.ts';
import { derivedMetrics } from './derived.ts';
import { metricsOfTheClient, metricsOfTheSchedule } from './of-the-client.ts';
import { metricsOfTheLoad } from './of-the-load.ts';

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

/** The members of a family that have values, in the order of their names. */
export function membersIn(family: Metric, measured: readonly { measures: Measures }[]): Metric[] {
  const names = new Set(measured.flatMap(({ measures }) => Object.keys(measures)));
  const parts = [...names].filter((name) => familyOf(name) === family).map((name) => partOf(family, name) ?? '');
  return parts.sort().map((part) => memberOf(family, part));
}

/** Whether the metric is one of a family, such as that of one wait event; families have tables of their own. */
export function isMember(name: string): boolean {
  return familyOf(name) !== undefined;
}

function familyOf(name: string): Metric | undefined {
  return byName.has(name) ? undefined : families.find((family) => partOf(family, name) !== null);
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
