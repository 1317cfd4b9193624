import type { Trial } from '../../../contract/trial.ts';
import { type Finding, notAssessed, pass, type TrialCheck, warn } from '../check.ts';
import { withNoun } from '../../../contract/format.ts';

/** The sampled sessions may differ by this share from the clients, besides clients that have ended before others. */
const tolerance = 0.05;

/**
 * Whether the kinds of time add up to clients / TPS: whether as many sessions were sampled as the load has clients. If not,
 * the sessions are not those of the load, or not all of them, so the time of such a trial is not explained. That does
 * not touch its throughput, which the load generator measures by itself: what others do in the database is the question of
 * the check `commits`. So it takes no verdict away.
 */
export const transactionTime: TrialCheck = {
  id: 'time-of-a-transaction',
  name: 'transaction time',
  couldChange: 'other-figures',
  remedy: 'Keep other clients off the database, then rerun.',
  judge: ({ measures }, { shape }) => {
    const {
      'waits.active': active = null,
      'waits.idle': idle = null,
      'waits.samples': samples = null,
      'client.turn': turn = null,
      'latency.connection': connecting = null,
      'load.seconds': seconds = null,
      'pooler.size': pool = null,
      tps = null,
    } = measures;
    if (active === null || idle === null || samples === null || tps === null) {
      return notAssessed('the sessions were not sampled');
    }
    const { clients, limit, durationSeconds, offeredPerSecond } = shape;
    const isConnecting = connecting !== null;
    // Of a load with sessions besides its clients, behind a pooler, or with new ones all the time, only those at work are known.
    const isEachKnown = !isConnecting && pool === null && (turn !== null || offeredPerSecond !== null);
    const observed = isEachKnown ? active + idle : active + (connecting ?? 0) * tps;
    const words = `${observed.toFixed(1)} sessions${isEachKnown ? '' : ' at work'} on average in ${samples} samples, with ${withNoun(clients, 'client')}`;
    if (observed > clients * (1 + tolerance))
      return broken(`${words}: other sessions were active in the database, too`);
    // At the end of a trial, clients disconnect one by one, after their last transactions.
    const ending = durationSeconds === null || seconds === null ? 0 : Math.max(0, 1 - durationSeconds / seconds);
    if (isEachKnown && limit === 'time' && observed < clients * (1 - tolerance - ending)) {
      return broken(`${words}: not all sessions of the load were seen`);
    }
    return pass(words);
  },
};

/** Whether the kinds of time of the trial add up, as far as that was checked. */
export function addsUp({ checks }: Pick<Trial, 'checks'>): boolean {
  return checks.every((check) => check.id !== transactionTime.id || check.state !== 'warn');
}

function broken(words: string): Finding {
  return warn(`${words}, so its parts do not add up to clients / TPS, and the time of this trial is not explained`);
}
