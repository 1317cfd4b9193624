import { isDeepStrictEqual } from 'node:util';
import { UserError } from '../../contract/errors.ts';
import { serverName } from '../../contract/server.ts';
import type { Collector, Findings } from '../../collect/collector.ts';

/**
 * What happened to the server during a trial and its warm-up, according to RDS. A trial with a backup, a failover or
 * maintenance does not count. A backup that begins in the warm-up may well outlast the trial.
 */
export const events: Collector = {
  name: 'events',
  optional: false,
  metrics: [],
  start(trial) {
    const { now, eventsBetween } = trial;
    return Promise.resolve({
      async finish({ startedAt }) {
        if (!eventsBetween) return {};
        const from = trial.warmUpStartedAt ?? startedAt;
        try {
          return { facts: { events: await eventsBetween(trial, from, now()) } };
        } catch (error) {
          // The trial counts without events. Its validity ledger then says that they are unknown.
          if (!(error instanceof UserError)) throw error;
          return { warnings: [`pgduet could not get the events of ${serverName(trial.conditions)}: ${error.message}`] };
        }
      },
    });
  },
  /** RDS reports some events only minutes after they happened. */
  async collectAfterRun(trials, { eventsBetween }) {
    const found = new Map<string, Findings>();
    if (!eventsBetween) return found;
    for (const trial of trials) {
      const { id, startedAt, warmUpStartedAt = startedAt, endedAt, facts } = trial;
      const reported = await eventsBetween(trial, new Date(warmUpStartedAt), new Date(endedAt));
      if (!isDeepStrictEqual(reported, facts.events)) found.set(id, { facts: { events: reported } });
    }
    return found;
  },
};
