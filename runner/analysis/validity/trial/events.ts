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
  // Only pgduet runs a local server, so it has no events.
  if (facts.events === undefined) return place.isDeployed ? notAssessed(name, 'events were not recorded') : null;
  const found = facts.events.flatMap(({ kind, text }) => (kind === 'other' ? [] : [`${disturbing[kind]} (${text})`]));
  // A failover, a restart or trouble with storage may follow from the load; backups and maintenance have a schedule.
  const scheduled = facts.events.every(({ kind }) => ['backup', 'maintenance', 'other'].includes(kind));
  const words = `in the trial or its warm-up, there was ${found.join(', ')}`;
  return found.length > 0
    ? fail(name, words, scheduled ? 'backup or maintenance' : undefined)
    : pass(name, 'RDS had reported none when the trial ended');
};
