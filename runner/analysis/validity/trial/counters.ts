import { notAssessed, pass, type TrialCheck, warn } from '../check.ts';

/** Whether the server's counters show what happened in the trial: a reset counter does not. */
export const counters: TrialCheck = ({ facts, measures }) => {
  const name = 'counters';
  const problems = facts.counterProblems ?? [];
  if (problems.length > 0) return warn(name, problems.join('; '));
  const read = ['wal.records', 'checkpoints.timed', 'database.commits'].some((metric) => metric in measures);
  return read ? pass(name, 'none was reset') : notAssessed(name, 'no counters were read');
};
