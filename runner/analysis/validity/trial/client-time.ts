import type { Measures } from '../../../contract/metric.ts';
import { fail, notAssessed, pass, type TrialCheck, warn } from '../check.ts';
import { endingShare } from '../transaction-seconds.ts';
import { wholePercent } from '../../../contract/format.ts';

const limits = { warn: 0.1, fail: 0.5 };

/**
 * The share of a transaction's turn for which only the client accounts: not the measured latency, connecting, or failed
 * transactions. The check applies only if clients are always busy: with a rate, they wait for their schedule. If each
 * client has a fixed number of transactions, the first clients finish while others continue. Then clients / TPS is
 * longer than a turn, by an unknown amount, so the check does not fail. After a given time, clients only wait while others
 * finish their last transactions, and that is no longer than the trial overruns.
 */
export const clientTime: TrialCheck = {
  id: 'client-time',
  name: 'client overhead',
  remedy: 'Give the load generator more threads or a larger machine.',
  needsEdit: true,
  judge: ({ measures }, { shape }) => {
    if (shape.offeredPerSecond !== null) return null;
    const { 'client.share': share = null } = measures;
    if (share === null) return notAssessed(whyUnknown(measures));
    // Below zero if its two times were rounded or measured separately.
    const words = `${share <= 0 ? 'none' : wholePercent(share)} of each transaction’s turnaround is not in ${accountedFor(measures)}`;
    if (share > limits.warn && shape.limit === 'transactions') {
      return warn(
        `${words}; the driver’s part of it is unknown: clients that have finished count as busy until the last one has finished`,
      );
    }
    if (share <= limits.warn) return pass(words);
    const ending = endingShare(measures, shape.durationSeconds);
    if (share - ending > limits.fail) return fail(`${words}: the trial measured the client`, 'busy-driver');
    if (share - ending <= limits.warn) {
      return pass(`${words}, in which clients that had finished waited for the last transactions of others`);
    }
    return warn(`${words}; above ${wholePercent(limits.warn)}, this includes the driver or late clients`);
  },
};

/** What else the turn is made of, such as `the measured latency (clients / TPS minus latency average)`. */
function accountedFor({ 'latency.connection': connecting, 'client.failed': failed }: Measures): string {
  const besides = [...(connecting ? ['connection time'] : []), ...(failed ? ['failed transactions'] : [])];
  const plus = besides.map((one) => ` and ${one}`).join('');
  return `the measured latency${plus} (clients / TPS minus latency average${plus})`;
}

function whyUnknown({ 'transactions.failed': failed, 'client.turn': turn = null }: Measures): string {
  return turn !== null && failed
    ? `${failed.toLocaleString('en')} transactions failed, and only a whole transaction log shows how long they took (collect: transaction-log)`
    : 'the run does not report it';
}
