import type { CheckDefinition } from '../check.ts';

/** Whether what was measured on one side was measured on the other, too. */
export const withoutPartner: CheckDefinition = {
  id: 'without-a-partner',
  name: 'without a partner',
  remedy: 'Measure both sides at the same levels.',
};
