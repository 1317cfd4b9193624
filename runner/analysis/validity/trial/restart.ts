import { fail, notAssessed, pass, type TrialCheck } from '../check.ts';

/** Whether the same server, without a restart, carried the whole trial. */
export const restart: TrialCheck = {
  id: 'restart-or-failover',
  name: 'restart or failover',
  remedy: 'Look for the reason in the server’s log, and measure again.',
  judge: ({ facts }) => {
    if (facts.restarted === undefined) return notAssessed('the start of the server was not recorded');
    return facts.restarted
      ? fail('the server restarted, or another one took over, during the trial')
      : pass('one server from start to end');
  },
};
