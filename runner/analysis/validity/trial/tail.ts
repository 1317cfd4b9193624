import { decidingMetric } from '../../../contract/experiment/schema.ts';
import { metricNamed } from '../../../metrics/catalogue.ts';
import { tailOf } from '../../../metrics/value.ts';
import { pass, type TrialCheck, warn } from '../check.ts';

/** Whether the trial has enough transactions for the percentile that decides; null if none does. */
export const tail: TrialCheck = {
  id: 'percentile',
  name: 'percentile',
  remedy: 'Measure longer trials (workload.durationSeconds), or let another metric decide (decision.metric).',
  judge: ({ measures }, { experiment, shape }) => {
    const metric = metricNamed(decidingMetric(experiment.decision));
    if (metric?.quantile === undefined) return null;
    const { isShort, needed, transactions } = tailOf(metric.name, measures);
    if (!isShort) return pass('the trial has enough transactions for it');
    const { durationSeconds } = shape;
    const had = `${metric.name} needs ${needed} transactions per trial, but this one has ${Math.floor(transactions)}`;
    if (durationSeconds === null || transactions === 0) return warn(`${had}: measure longer trials`);
    return warn(`${had}: at this speed, that takes ${Math.ceil((durationSeconds * needed) / transactions)} s`);
  },
};
