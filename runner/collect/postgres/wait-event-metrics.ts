import { metric } from '../metric.ts';

const source = 'samples of pg_stat_activity: client backends of the measured database, without our own';
const hidden = { hidden: true, source: 'the sampler of pg_stat_activity about itself' } as const;

export const share = metric('share', 'waits.<event>', '<event>', {
  compared: 'difference',
  zeroWith: 'waits.active',
  source: `${source}; share of average active sessions. CPU: no wait that the server knows of`,
});
export const sessions = metric('average', 'waits.sessions.<event>', 'active sessions in <event>', {
  hidden: true,
  zeroWith: 'waits.active',
  source: `${source}; average active sessions by wait event`,
});
export const active = metric('average', 'waits.active', 'average active sessions', { source });
export const idle = metric('average', 'waits.idle', 'average sessions waiting for the client', { source });
export const workers = metric('average', 'waits.workers', 'busy parallel workers', {
  source: 'the same samples: average parallel workers that wait for no other process; no part of a session’s time',
});
export const vacuums = metric('average', 'waits.vacuums', 'workers of autovacuum', {
  hidden: true,
  source: 'the same samples: average workers of autovacuum in the measured database',
});
export const samples = metric('count', 'waits.samples', 'samples of sessions', { ...hidden, better: 'higher' });
export const missed = metric('count', 'waits.missed', 'missed samples of sessions', hidden);
export const cost = metric('share', 'waits.cost', 'time spent on sampling sessions', hidden);
