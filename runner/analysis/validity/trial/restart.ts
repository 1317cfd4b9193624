import { fail, notAssessed, pass, type TrialCheck } from '../check.ts';

/** Whether the same server, without a restart, carried the whole trial. */
export const restart: TrialCheck = ({ facts }) => {
  const name = 'restart or failover';
  if (facts.restarted === undefined) return notAssessed(name, 'the start of the server was not recorded');
  return facts.restarted
    ? fail(name, 'the server restarted, or another one took over, during the trial')
    : pass(name, 'one server from start to end');
};
