import type { Metric } from '../contract/metric.ts';
import type { ResultVariant } from '../contract/run-record.ts';
import type { Trial } from '../contract/trial.ts';

/** Metrics that follow from what the server of a trial costs. */
export const costMetrics: readonly Metric[] = [
  {
    name: 'dollarsPerMonth',
    label: 'dollars per month',
    unit: 'USD',
    kind: 'rate',
    decimals: 0,
    better: 'lower',
    compared: null,
    hidden: true,
    source: 'cost of one server of the variant (instance, storage, log volume); the middle if sources disagree',
  },
  {
    name: 'dollarsPerMillionTransactions',
    label: '$ per million transactions',
    unit: 'USD',
    kind: 'rate',
    better: 'lower',
    compared: 'ratio',
    reportedByLoad: true,
    source: 'dollars an hour / (tps × 3600) × 1,000,000, of one server',
  },
];

/**
 * The trials with these metrics. They are computed whenever a result is made: trial.json has only what was measured.
 */
export function withCosts(trials: readonly Trial[], variants: readonly ResultVariant[]): Trial[] {
  const costs = new Map(variants.map(({ name, cost }) => [name, cost]));
  return trials.map((trial) => {
    const { dollarsPerHour = null, dollarsPerMonth = null } = costs.get(trial.conditions.variant) ?? {};
    if (dollarsPerHour === null || dollarsPerMonth === null || trial.state !== 'finished') return trial;
    const perHour = middle(dollarsPerHour);
    const perMillion = (tps: number | null | undefined): number | null =>
      tps === null || tps === undefined || tps <= 0 ? null : (perHour / (tps * 3600)) * 1e6;
    const measures = {
      ...trial.measures,
      dollarsPerMonth: middle(dollarsPerMonth),
      dollarsPerMillionTransactions: perMillion(trial.measures['tps']),
    };
    if (!trial.steady) return { ...trial, measures };
    const steadyMeasures = { dollarsPerMillionTransactions: perMillion(trial.steady.measures['tps']) };
    return {
      ...trial,
      measures,
      steady: { ...trial.steady, measures: { ...trial.steady.measures, ...steadyMeasures } },
    };
  });
}

/** If sources disagree, the middle counts, on both sides of a comparison alike. */
function middle({ low, high }: { low: number; high: number }): number {
  return (low + high) / 2;
}
