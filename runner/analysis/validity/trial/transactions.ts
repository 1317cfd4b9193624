import { pass, type TrialCheck, warn } from '../check.ts';

/** Whether all offered transactions were carried out, as far as the load generator says. */
export const transactions: TrialCheck = ({ measures, facts }) => {
  const name = 'transactions';
  const { 'transactions.failed': failed, 'transactions.skipped': skipped } = measures;
  const troubles = [
    ...(failed ? [`${failed.toLocaleString('en')} failed`] : []),
    ...(skipped ? [`${skipped.toLocaleString('en')} were skipped because they lagged behind`] : []),
    ...(facts.problems ?? []),
  ];
  return troubles.length > 0 ? warn(name, troubles.join('; ')) : pass(name, 'all carried out');
};
