import type { Transaction } from '../../../runner/workloads/orders/scripts.ts';

/** Transactions in which a payment reads the balance, and writes what it was: whoever paid in between is forgotten. */
export function withLostUpdate(transactions: readonly Transaction[]): Transaction[] {
  const right = 'UPDATE warehouse SET w_ytd = w_ytd + :amount / 100.0 WHERE w_id = :w_id;';
  const wrong =
    'SELECT w_ytd FROM warehouse WHERE w_id = :w_id \\gset\nUPDATE warehouse SET w_ytd = :w_ytd + :amount / 100.0 WHERE w_id = :w_id;';
  return transactions.map((one) => {
    if (one.name !== 'payment') return one;
    if (!one.script.includes(right)) throw new Error('The payment has changed.');
    return { ...one, script: one.script.replace(right, wrong) };
  });
}
