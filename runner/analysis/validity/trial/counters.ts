import { notAssessed, pass, type TrialCheck, warn } from '../check.ts';

/** Whether the server's counters show what happened in the trial: a reset counter does not. */
export const counters: TrialCheck = {
  id: 'counters',
  name: 'counters',
  couldChange: 'other-figures',
  remedy: 'Do not reset statistics during a run. Rerun.',
  judge: ({ facts, measures }) => {
    const problems = facts.counterProblems ?? [];
    if (problems.length > 0) return warn(problems.join('; '));
    const read = ['wal.records', 'checkpoints.timed', 'database.commits'].some((metric) => metric in measures);
    return read ? pass('no counter was reset') : notAssessed('no counters were read');
  },
};
