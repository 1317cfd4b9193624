import { collectors } from '../collect/registry.ts';
import type { Metric } from '../contract/metric.ts';
import { tools } from '../workloads/registry.ts';
import { costMetrics } from './costs.ts';
import { derivedMetrics } from './derived.ts';
import { metricsOfTheLoad } from './of-the-load.ts';

/**
 * Every metric there is, in the order in which tables show them. A metric is defined with the tool or the source that
 * measures it, or here.
 */
export const catalogue: readonly Metric[] = [
  ...metricsOfTheLoad,
  ...costMetrics,
  ...tools.flatMap(({ metrics }) => metrics),
  ...[...collectors, ...tools.flatMap((tool) => tool.collectors)].flatMap(({ metrics }) => metrics),
  ...derivedMetrics,
];

const byName = new Map(catalogue.map((metric) => [metric.name, metric]));

/** The metric of this name; undefined if only another version of pgduet has it. */
export function metricNamed(name: string): Metric | undefined {
  return byName.get(name);
}

/** Names of metrics that an experiment may declare as the one that decides. */
export const declarableMetrics: readonly string[] = catalogue
  .filter(({ declarable }) => declarable)
  .map(({ name }) => name);

/** Place of a metric in tables, for sorting; unknown metrics come last. */
export function metricRank(name: string): number {
  const rank = catalogue.findIndex((metric) => metric.name === name);
  return rank === -1 ? catalogue.length : rank;
}

/**
 * Metrics that a reader looks at first when a trial has just ended.
 *
 * @param declared the metric that decides
 */
export function firstLookMetrics(declared: string): string[] {
  return [...new Set([declared, 'tps', 'latency.p99'])];
}
