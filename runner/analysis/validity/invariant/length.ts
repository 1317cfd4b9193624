import { fail, notAssessed, pass, type TrialCheck, warn } from '../check.ts';
import { typicalTransactionSeconds } from '../transaction-seconds.ts';

/** By the load generator's own clock: waiting for the last transactions, besides the time that one usually takes. */
const loadAllowance = { seconds: 2, share: 0.01 };
/** Around the load generator: starting it, ending its connections, reading counters. */
const aroundTheLoad = { seconds: 5, share: 0.1 };
/** A trial that spends a larger share on connecting leaves too little to measure, however short it is. */
const maxConnectingShare = 0.5;
/** A trial that overruns its last transaction by more than this did not just wait for it: something stood still. */
const decisive = { share: 0.25, seconds: 30 };

/**
 * Whether the trial was as long as planned. Each client finishes its last transaction, so a trial may overrun by the time of
 * one. A trial that takes longer waited for slow transactions, or something in it stood still, and its throughput does not
 * show which.
 */
export const length: TrialCheck = {
  id: 'length-of-the-trial',
  name: 'trial duration',
  remedy:
    'Check the server and storage logs for a stall. If connecting was slow, use fewer clients or longer trials. Then rerun.',
  judge: ({ measures, startedAt, endedAt }, { shape: { durationSeconds } }) => {
    if (durationSeconds === null) return null;
    const { 'load.seconds': own = null, 'load.connecting': connecting = null } = measures;
    const seconds = own ?? (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
    if (!Number.isFinite(seconds)) return notAssessed('start or end time unknown');
    const allowed = own === null ? aroundTheLoad : loadAllowance;
    const words = `${seconds.toFixed(1)} s (planned: ${durationSeconds} s)`;
    const min = durationSeconds - (own === null ? 0 : allowed.seconds + allowed.share * durationSeconds);
    // pgbench connects its clients within the time that was asked for. Its numbers are about what remains, so that the
    // server loses nothing by that, as long as enough remains.
    if (own !== null && connecting !== null && seconds <= durationSeconds) {
      const isWhy = seconds < min && seconds + connecting >= min;
      const took = `${words}: connecting took ${connecting.toFixed(1)} of ${durationSeconds} s`;
      if (connecting > maxConnectingShare * durationSeconds) return fail(took);
      if (isWhy) return warn(`${took}, which is not measured`);
    }
    if (seconds < min) return own === null ? warn(`${words}: it ended early`) : fail(`${words}: it ended early`);
    const tolerance = allowed.seconds + allowed.share * durationSeconds;
    const last = typicalTransactionSeconds(measures);
    const over = seconds - durationSeconds;
    if (over <= tolerance) return pass(words);
    if (over <= tolerance + last) return pass(`${words}, because a transaction takes up to ${last.toFixed(1)} s`);
    if (own !== null && over - last > Math.min(decisive.seconds, decisive.share * durationSeconds)) {
      return fail(`${words}: something stalled`);
    }
    return warn(`${words}: slow start or slow last transactions`);
  },
};
