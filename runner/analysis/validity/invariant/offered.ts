import { notAssessed, pass, type TrialCheck, warn } from '../check.ts';
import { wholePercent } from '../../../contract/format.ts';

/** Standard deviations by which the number of transactions that pgbench draws at a given rate may fall short. */
const deviations = 5;

/**
 * Whether what was offered was done, or at least counted as failed or skipped. A server that cannot keep up is a finding, so
 * it is named: its latency grows with the length of the trial.
 */
export const offered: TrialCheck = {
  id: 'offered-transactions',
  name: 'offered transactions',
  remedy: 'Lower the offered load until the server keeps up, then rerun.',
  judge: ({ measures }, { shape: { offeredPerSecond, durationSeconds, clients } }) => {
    if (offeredPerSecond === null || durationSeconds === null) return null;
    const { transactions = null } = measures;
    if (transactions === null) return notAssessed('the run does not report its transactions');
    const done = transactions + (measures['transactions.failed'] ?? 0) + (measures['transactions.skipped'] ?? 0);
    const expected = offeredPerSecond * durationSeconds;
    const words = `${done.toLocaleString('en')} of about ${Math.round(expected).toLocaleString('en')} were completed`;
    if (done >= expected - deviations * Math.sqrt(expected) - clients) return pass(words);
    return warn(
      `${words} (${wholePercent(done / expected)}): the rest waited until the end, so latency depends on the length of the trial`,
    );
  },
};
