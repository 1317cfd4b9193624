import { fail, notAssessed, pass, type TrialCheck } from '../check.ts';

const disturbing = {
  backup: 'a backup',
  failover: 'a failover',
  maintenance: 'maintenance',
  memory: 'a change of its memory',
  recovery: 'a recovery',
  restart: 'a restart',
  storage: 'a storage problem',
  credits: 'the end of its credits',
} as const;

/** Whether RDS did something to the server, or to its volumes, during the trial or its warm-up. */
export const events: TrialCheck = {
  id: 'backup-maintenance-storage',
  name: 'backup, maintenance, storage',
  remedy: 'Choose a time without backups or maintenance, then rerun.',
  judge: ({ facts }, { place }) => {
    const { events: reported, storageWork = [] } = facts;
    // Only pgduet runs a local server, so it has no events.
    if (reported === undefined && storageWork.length === 0) {
      return place.isDeployed ? notAssessed('events were not recorded') : null;
    }
    const found = [
      ...(reported ?? []).flatMap(({ kind, text }) => (kind === 'other' ? [] : [`${disturbing[kind]} (${text})`])),
      ...storageWork.map((text) => `work on its volumes (${text})`),
    ];
    // A failover, a restart or trouble with storage may follow from the load; backups and maintenance have a schedule.
    const scheduled =
      storageWork.length === 0 && reported?.every(({ kind }) => ['backup', 'maintenance', 'other'].includes(kind));
    const words = `during the trial or its warm-up, RDS reported ${found.join(', ')}`;
    return found.length > 0
      ? fail(words, scheduled ? 'backup-or-maintenance' : undefined)
      : pass('no RDS event reported by the end of the trial');
  },
};
