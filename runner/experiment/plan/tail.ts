import { type Warning, warningsOf } from '../../contract/warnings.ts';
import { decidingMetric, type Experiment } from '../../contract/experiment/schema.ts';
import { minForQuantile } from '../../contract/metric.ts';
import type { Assumption } from '../../contract/plan.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { toolOf } from '../../workloads/registry.ts';
import { experimentLevels } from './design.ts';
import type { Speeds } from './durations.ts';

/**
 * What a percentile that decides takes of every trial: what is assumed, if nothing shows how many transactions a trial
 * will have, and a warning if these are too few.
 */
export function tailOfPlan(
  experiment: Experiment,
  { transactions: measured }: Partial<Speeds>,
): { assumptions: Assumption[]; warnings: Warning[] } {
  const name = decidingMetric(experiment.decision);
  const quantile = metricNamed(name)?.quantile;
  if (quantile === undefined) return { assumptions: [], warnings: [] };
  const needed = minForQuantile(quantile);
  const tool = toolOf(experiment.workload);
  const shapes = experimentLevels(experiment).map((level) => tool.shape(tool.resolveLevel(experiment.workload, level)));
  const takes = `${name} decides, and needs ${needed} transactions in each trial`;
  const expected = shapes.map(({ transactions, offeredPerSecond, durationSeconds }) => {
    const perSecond = offeredPerSecond ?? measured?.value ?? null;
    return { durationSeconds, perSecond, transactions: transactions ?? product(perSecond, durationSeconds) };
  });
  const [worst] = expected.toSorted((one, other) => (one.transactions ?? Infinity) - (other.transactions ?? Infinity));
  if (worst?.transactions === undefined || worst.transactions === null) {
    const shortest = Math.min(...shapes.flatMap(({ durationSeconds }) => durationSeconds ?? []));
    const tps = Number.isFinite(shortest) ? `: ${Number((needed / shortest).toPrecision(2))} TPS or more` : '';
    return { assumptions: [`${takes}${tps}`], warnings: [] };
  }
  if (worst.transactions >= needed) return { assumptions: [], warnings: [] };
  const remedy =
    worst.perSecond === null
      ? `let each do ${needed}`
      : `use trials of ${Math.ceil(needed / worst.perSecond)} s or longer`;
  return {
    assumptions: [],
    warnings: warningsOf('few-transactions', [
      `${takes}, but trials will have about ${Math.floor(worst.transactions)}: ${remedy}.`,
    ]),
  };
}

function product(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one * other;
}
