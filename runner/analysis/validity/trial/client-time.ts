import type { Measures } from '../../../contract/metric.ts';
import { fail, notAssessed, pass, percent, type TrialCheck, warn } from '../check.ts';

const limits = { warn: 0.1, fail: 0.5 };

/**
 * The share of a transaction's turn that nothing accounts for but the client: neither the measured latency, nor connecting, nor
 * transactions that failed. It applies only if clients are always busy: with a rate, they wait for their schedule. Where each
 * client has a number of transactions, the first ones are done while others go on, and clients / TPS is longer than a turn: by how
 * much is not known, so nothing fails.
 */
export const clientTime: TrialCheck = ({ measures }, { shape }) => {
  const name = 'client time';
  if (shape.offeredPerSecond !== null) return null;
  const { 'client.share': share = null } = measures;
  if (share === null) return notAssessed(name, whyUnknown(measures));
  // Below zero where its two times were rounded or measured apart.
  const words = `${share <= 0 ? 'none' : percent(share)} of each transaction’s turn passed outside ${accountedFor(measures)}`;
  if (share > limits.warn && shape.limit === 'transactions') {
    return warn(
      name,
      `${words}; how much of it is the driver’s is not known: clients that have done their transactions count as busy until the last one has`,
    );
  }
  if (share > limits.fail) return fail(name, `${words}: the client is what was measured`, 'busy driver');
  if (share <= limits.warn) return pass(name, words);
  return warn(name, `${words}; above ${percent(limits.warn)} the driver, or stragglers at the end, are part of it`);
};

/** What the turn is made of besides, such as `the measured latency (clients / TPS minus latency average)`. */
function accountedFor({ 'latency.connection': connecting, 'client.failed': failed }: Measures): string {
  const besides = [...(connecting ? ['the time to connect'] : []), ...(failed ? ['failed transactions'] : [])];
  const plus = besides.map((one) => ` and ${one}`).join('');
  return `the measured latency${plus} (clients / TPS minus latency average${plus})`;
}

function whyUnknown({ 'transactions.failed': failed, 'client.turn': turn = null }: Measures): string {
  return turn !== null && failed
    ? `${failed.toLocaleString('en')} transactions failed, and only a whole transaction log tells how long they took (collect: transaction-log)`
    : 'the run does not tell';
}
