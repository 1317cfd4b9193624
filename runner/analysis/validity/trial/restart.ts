import { fail, notAssessed, pass, type TrialCheck } from '../check.ts';

/** Whether the same server, without a restart, carried the whole trial. */
export const restart: TrialCheck = {
  id: 'restart-or-failover',
  name: 'restart or failover',
  remedy: 'Find the cause in the server log, then rerun.',
  judge: ({ facts }) => {
    if (facts.restarted === undefined) return notAssessed('the server’s start time was not recorded');
    return facts.restarted
      ? fail('the server restarted or failed over during the trial')
      : pass('same server throughout');
  },
};
