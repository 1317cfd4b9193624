import { notAssessed, pass, warn } from '../findings.ts';
import type { TrialCheck } from '../trial-check.ts';

/** Seconds that starting the load generator and ending its connections may take. */
const allowedSeconds = 5;
const allowedShare = 0.1;

/**
 * Whether the trial ended in time. A trial that takes longer waited for slow transactions, which its throughput does not
 * show.
 */
export const length: TrialCheck = ({ startedAt, endedAt }, { shape: { durationSeconds } }) => {
  const name = 'length of the trial';
  if (durationSeconds === null) return null;
  const seconds = (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
  if (!Number.isFinite(seconds)) return notAssessed(name, 'its start or its end is not known');
  const words = `${seconds.toFixed(1)} s, of ${durationSeconds} s that were asked for`;
  if (seconds < durationSeconds) return warn(name, `${words}: it ended early`);
  const most = durationSeconds * (1 + allowedShare) + allowedSeconds;
  return seconds > most ? warn(name, `${words}: its last transactions took long, or its start did`) : pass(name, words);
};
