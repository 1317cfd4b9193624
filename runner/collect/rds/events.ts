import { isDeepStrictEqual } from 'node:util';
import { UserError } from '../../contract/errors.ts';
import type { Collector, Findings } from '../collector.ts';

/** What RDS says happened to the server during a trial: a backup, a failover or maintenance makes it no measurement. */
export const events: Collector = {
  name: 'events',
  optional: false,
  metrics: [],
  start({ conditions, startedAt, now, eventsBetween }) {
    return Promise.resolve({
      async finish() {
        if (!eventsBetween) return {};
        try {
          return { facts: { events: await eventsBetween(conditions.variant, startedAt, now()) } };
        } catch (error) {
          // The trial is worth having without them: its ledger then says that they are not known.
          if (!(error instanceof UserError)) throw error;
          return { warnings: [`no events of ${conditions.variant}: ${error.message}`] };
        }
      },
    });
  },
  /** Some are told only minutes after they happened. */
  async later(trials, { eventsBetween }) {
    const found = new Map<string, Findings>();
    if (!eventsBetween) return found;
    for (const { id, conditions, startedAt, endedAt, facts } of trials) {
      const told = await eventsBetween(conditions.variant, new Date(startedAt), new Date(endedAt));
      if (!isDeepStrictEqual(told, facts.events)) found.set(id, { facts: { events: told } });
    }
    return found;
  },
};
