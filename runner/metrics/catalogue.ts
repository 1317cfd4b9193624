import { collectors } from '../collect/registry.ts';
import type { Metric } from '../contract/metric.ts';
import { tools } from '../workloads/registry.ts';
import { derivedMetrics } from './derived.ts';
import { metricsOfTheLoad } from './of-the-load.ts';

/**
 * Every metric there is, in the order in which tables show them. An entry stands where its subject is: with the tool or the
 * source that measures it, or here.
 */
export const catalogue: readonly Metric[] = [
  ...metricsOfTheLoad,
  ...tools.flatMap(({ metrics }) => metrics),
  ...[...collectors, ...tools.flatMap((tool) => tool.collectors)].flatMap(({ metrics }) => metrics),
  ...derivedMetrics,
];

const byName = new Map(catalogue.map((metric) => [metric.name, metric]));

/** undefined for a metric of another version of pgduet. */
export function metricNamed(name: string): Metric | undefined {
  return byName.get(name);
}

/** Names of metrics that an experiment may declare as the one that decides. */
export const declarableMetrics: readonly string[] = catalogue
  .filter(({ declarable }) => declarable)
  .map(({ name }) => name);

/** For sorting; what is not known comes last. */
export function metricRank(name: string): number {
  const rank = catalogue.findIndex((metric) => metric.name === name);
  return rank === -1 ? catalogue.length : rank;
}

/** What a reader of a trial that has just ended looks at first. @param declared the metric that decides */
export function firstLookMetrics(declared: string): string[] {
  return [...new Set([declared, 'tps', 'latency.p99'])];
}
