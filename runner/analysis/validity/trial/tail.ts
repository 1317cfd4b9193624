import { decidingMetric } from '../../../contract/experiment/schema.ts';
import { metricNamed } from '../../../metrics/catalogue.ts';
import { tailOf } from '../../../metrics/value.ts';
import { pass, type TrialCheck, warn } from '../check.ts';

/** Whether the trial has enough transactions for the percentile that decides; null if none does. */
export const tail: TrialCheck = ({ measures }, { experiment, shape }) => {
  const name = 'percentile';
  const metric = metricNamed(decidingMetric(experiment.decision));
  if (metric?.quantile === undefined) return null;
  const { isShort, needed, transactions } = tailOf(metric.name, measures);
  if (!isShort) return pass(name, 'the trial has enough transactions for it');
  const { durationSeconds } = shape;
  const had = `${metric.name} takes ${needed} transactions in a trial, and this one has ${Math.floor(transactions)}`;
  if (durationSeconds === null || transactions === 0) return warn(name, `${had}: let trials do more`);
  return warn(name, `${had}: at this speed, that takes ${Math.ceil((durationSeconds * needed) / transactions)} s`);
};
