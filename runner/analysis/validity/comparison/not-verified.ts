import type { CheckDefinition } from '../check.ts';

/** Whether the files of the run are as they were measured. */
export const notVerified: CheckDefinition = {
  id: 'not-verified',
  name: 'not verified',
  couldChange: 'answer',
  remedy: 'Restore the files from a copy, or rerun.',
};
