import { fail, notAssessed, pass } from '../findings.ts';
import type { TrialCheck } from '../trial-check.ts';

const disturbing = {
  backup: 'a backup',
  failover: 'a failover',
  maintenance: 'maintenance',
  restart: 'a restart',
  storage: 'trouble with its storage',
  credits: 'the end of its credits',
} as const;

/** Whether whoever runs the server did something to it meanwhile. */
export const events: TrialCheck = ({ facts }, { place }) => {
  const name = 'backup, maintenance, storage';
  // Nobody but us runs a local server: there is nothing that could be told of it.
  if (facts.events === undefined) return place === 'local' ? null : notAssessed(name, 'events were not recorded');
  const found = facts.events.flatMap(({ kind, text }) => (kind === 'other' ? [] : [`${disturbing[kind]} (${text})`]));
  return found.length > 0
    ? fail(name, `in the trial was ${found.join(', ')}`)
    : pass(name, 'RDS had told of none when the trial ended');
};
