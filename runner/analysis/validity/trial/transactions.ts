import { pass, type TrialCheck, warn } from '../check.ts';

/** Whether all offered transactions were carried out, as far as the load generator says. */
export const transactions: TrialCheck = {
  id: 'transactions',
  name: 'transactions',
  remedy: 'See the load generator’s output for why they failed or fell behind, then rerun.',
  judge: ({ measures, facts }) => {
    const { 'transactions.failed': failed, 'transactions.skipped': skipped } = measures;
    const troubles = [
      ...(failed ? [`${failed.toLocaleString('en')} failed`] : []),
      ...(skipped ? [`${skipped.toLocaleString('en')} were skipped because they were late`] : []),
      ...(facts.problems ?? []),
    ];
    return troubles.length > 0 ? warn(troubles.join('; ')) : pass('all completed');
  },
};
