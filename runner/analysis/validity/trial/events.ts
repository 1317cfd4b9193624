import { fail, notAssessed, pass, type TrialCheck } from '../check.ts';

const disturbing = {
  backup: 'a backup',
  failover: 'a failover',
  maintenance: 'maintenance',
  restart: 'a restart',
  storage: 'trouble with its storage',
  credits: 'the end of its credits',
} as const;

/** Whether RDS did something to the server during the trial or its warm-up. */
export const events: TrialCheck = ({ facts }, { place }) => {
  const name = 'backup, maintenance, storage';
  // A local server is run by us alone, so there are no events of it.
  if (facts.events === undefined) return place.isDeployed ? notAssessed(name, 'events were not recorded') : null;
  const found = facts.events.flatMap(({ kind, text }) => (kind === 'other' ? [] : [`${disturbing[kind]} (${text})`]));
  // A failover, a restart or storage in trouble may follow from what was asked of the server; these are on a schedule.
  const scheduled = facts.events.every(({ kind }) => ['backup', 'maintenance', 'other'].includes(kind));
  const words = `in the trial or its warm-up was ${found.join(', ')}`;
  return found.length > 0
    ? fail(name, words, scheduled ? 'backup or maintenance' : undefined)
    : pass(name, 'RDS had told of none when the trial ended');
};
