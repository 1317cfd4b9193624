import type { Metric } from '../../../contract/metric.ts';

const source = 'Database Insights (formerly Performance Insights), db.load.avg';
const shown = { unit: '1', better: 'lower', compared: null, source } as const;

export const load: Metric = {
  ...shown,
  name: 'insights.load',
  label: 'Insights: average active sessions',
  kind: 'rate',
};
export const share: Metric = {
  ...shown,
  name: 'insights.<event>',
  label: 'Insights: <event>',
  kind: 'share',
  compared: 'difference',
  zeroWith: load.name,
  source: `${source}: share of the load by wait event`,
};
export const sessions: Metric = {
  ...shown,
  name: 'insights.sessions.<event>',
  label: 'Insights: active sessions in <event>',
  kind: 'rate',
  hidden: true,
  zeroWith: load.name,
  source: `${source}: average active sessions by wait event`,
};
export const difference: Metric = {
  ...shown,
  name: 'insights.difference',
  label: 'largest difference between Insights and pgduet’s samples',
  kind: 'share',
  source: 'the largest difference between the shares `insights.<event>` and `waits.<event>` of one wait event',
};
