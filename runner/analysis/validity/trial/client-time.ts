import { fail, notAssessed, pass, percent, warn } from '../findings.ts';
import type { TrialCheck } from '../trial-check.ts';

const limits = { warn: 0.1, fail: 0.5 };

/**
 * The share of a transaction's turn that is outside the measured latency. It applies only if clients are always busy: with a
 * rate, clients wait for their schedule.
 */
export const clientTime: TrialCheck = ({ measures }, { shape }) => {
  const name = 'client time';
  if (shape.offeredPerSecond !== null) return null;
  const { 'client.share': share = null } = measures;
  if (share === null) return notAssessed(name, 'the run does not tell');
  const words = `${percent(share)} of each transaction’s turn passed outside the measured latency (clients / TPS minus latency average)`;
  if (share > limits.fail) return fail(name, `${words}: the client is what was measured`, 'busy driver');
  if (share <= limits.warn) return pass(name, words);
  return warn(name, `${words}; above ${percent(limits.warn)} the driver, or stragglers at the end, are part of it`);
};
