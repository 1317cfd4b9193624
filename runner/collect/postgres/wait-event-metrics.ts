import type { Metric } from '../../contract/metric.ts';

const source = 'samples of pg_stat_activity: client backends of the measured database, without our own';
const shown = { better: 'lower', compared: null, source } as const;

export const share: Metric = {
  ...shown,
  name: 'waits.<event>',
  label: '<event>',
  unit: '1',
  kind: 'share',
  compared: 'difference',
  zeroWith: 'waits.active',
  source: `${source}; share of average active sessions. CPU: no wait that the server knows of`,
};
export const sessions: Metric = {
  ...shown,
  name: 'waits.sessions.<event>',
  label: 'active sessions in <event>',
  unit: '1',
  kind: 'rate',
  hidden: true,
  zeroWith: 'waits.active',
  source: `${source}; average active sessions by wait event`,
};
export const active: Metric = {
  ...shown,
  name: 'waits.active',
  label: 'average active sessions',
  unit: '1',
  kind: 'rate',
};
export const idle: Metric = {
  ...shown,
  name: 'waits.idle',
  label: 'average sessions waiting for their client',
  unit: '1',
  kind: 'rate',
};
export const workers: Metric = {
  ...shown,
  name: 'waits.workers',
  label: 'busy parallel workers',
  unit: '1',
  kind: 'rate',
  source: 'the same samples: average parallel workers that wait for no other process; no part of a session’s time',
};
export const vacuums: Metric = {
  ...shown,
  hidden: true,
  name: 'waits.vacuums',
  label: 'workers of autovacuum',
  unit: '1',
  kind: 'rate',
  source: 'the same samples: average workers of autovacuum in the measured database',
};
const samplerMetric = { ...shown, hidden: true, source: 'the sampler of pg_stat_activity about itself' } as const;
export const samples: Metric = {
  ...samplerMetric,
  better: 'higher',
  name: 'waits.samples',
  label: 'samples of sessions',
  unit: '1',
  kind: 'count',
};
export const missed: Metric = {
  ...samplerMetric,
  name: 'waits.missed',
  label: 'missed samples of sessions',
  unit: '1',
  kind: 'count',
};
export const cost: Metric = {
  ...samplerMetric,
  name: 'waits.cost',
  label: 'time spent on sampling sessions',
  unit: '1',
  kind: 'share',
};
