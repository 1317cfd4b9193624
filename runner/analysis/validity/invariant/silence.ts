import { fail, notAssessed, pass, type TrialCheck, warn } from '../check.ts';
import { typicalTransactionSeconds } from '../transaction-seconds.ts';
import { wholePercent } from '../../../contract/format.ts';

/** The load generator reports every second. No server can keep it from that for so long. */
const loadStopped = { warn: 2, fail: 3 };
/**
 * Share of the looks at which it was stopped. A limit on the processor time of a process stops it many times a second.
 */
const stoppedShare = { warn: 0.03, fail: 0.1 };
/** Reports of every second come a little early or late. */
const aboutASecond = 0.95;
/** A silence of this share of a trial decides the trial by itself, whatever caused it. A long silence does so in any trial. */
const decisive = { share: 0.25, minSeconds: 2.5, seconds: 30 };
/** With fewer transactions, a silence that is longer than one of them says nothing. */
const minTransactions = 10;

const reportsLost =
  'the load emptied the load generator’s progress file, so pgduet cannot tell whether server or load generator stalled';

/**
 * Whether transactions ended all the time. A checkpoint on a small volume may silence a server for seconds: that is
 * part of what is measured, so it is named. But a trial that was silent for a quarter of its time measures its one
 * stall, and a load generator that stopped measures nothing.
 */
export const silence: TrialCheck = {
  id: 'silent-seconds',
  name: 'stalls',
  couldChange: 'other-figures',
  remedy: 'Check the server and storage logs for a stall, then rerun.',
  judge: ({ measures }, { shape }) => {
    const { 'progress.gap': gap = null, 'progress.emptied': emptied = null, transactions = null } = measures;
    // Reports every second hide silences of up to two seconds, and a log by the second those of up to one.
    const known = [measures['progress.silence'], measures['seconds.silent']].filter((one) => typeof one === 'number');
    const silent = known.length === 0 ? null : Math.max(...known);
    const seconds = measures['load.seconds'] ?? shape.durationSeconds;
    if (gap !== null && gap >= loadStopped.warn) {
      const words = `the load generator reports every second, but sent no report for ${gap.toFixed(1)} s`;
      return gap >= loadStopped.fail ? fail(`${words}: it was stopped`, 'suspended-driver') : warn(words);
    }
    const { 'load.stopped': stopped = null } = measures;
    // If each transaction connects, a late report may be the server's doing.
    if (stopped !== null && stopped >= loadStopped.warn) {
      const words = `the load generator was stopped for ${stopped.toFixed(1)} s`;
      return stopped >= loadStopped.fail ? fail(words, 'suspended-driver') : warn(words);
    }
    const { 'load.stoppedShare': share = null } = measures;
    if (share !== null && share >= stoppedShare.warn) {
      const words = `the load generator was stopped for ${wholePercent(share)} of the time`;
      return share >= stoppedShare.fail ? fail(words, 'suspended-driver') : warn(words);
    }
    if (silent === null || transactions === null || seconds === null) {
      return notAssessed(emptied === null ? 'no per-second values' : reportsLost);
    }
    if (silent < aboutASecond) return pass('none: transactions ended in every second');
    const each = typicalTransactionSeconds(measures);
    const words = `no transaction ended for ${silent.toFixed(1)} s`;
    // Clients that begin together also end together.
    if (silent <= each) return pass(`${words}, and a transaction takes up to ${each.toFixed(1)} s`);
    if (transactions < minTransactions) return notAssessed(`only ${transactions} transactions in ${seconds} s`);
    const usual = longestExpectedSilence(
      transactions,
      shape.offeredPerSecond ?? transactions / Math.max(seconds - silent, 1e-3),
    );
    if (silent <= usual) return pass(`${words}, which is normal with so few transactions`);
    if (emptied !== null) return warn(`${words}, and ${reportsLost}`);
    if (silent >= decisive.seconds || silent >= Math.max(decisive.minSeconds, decisive.share * seconds)) {
      return fail(
        `${words} of ${seconds.toFixed(0)} s: the server or its storage stalled, and this alone decides the trial`,
      );
    }
    return warn(`${words}: look for a checkpoint, a lock or a storage stall`);
  },
};

/**
 * Seconds of silence that chance alone brings about in one of a million trials, if transactions end at random: between n of
 * them at a rate r, a silence longer than t has a probability of at most n × exp(-r t).
 */
export function longestExpectedSilence(transactions: number, perSecond: number): number {
  return Math.log(transactions * 1e6) / perSecond;
}
