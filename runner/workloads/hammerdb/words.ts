import type { WorkloadWords } from '../tool.ts';
import { listWords } from '../lists.ts';
import { buildUsersOf, type DeclaredHammerdb } from './schema.ts';

export function hammerdbWords(workload: DeclaredHammerdb): WorkloadWords {
  const { warehouses, users, durationMinutes, allWarehouses, keyingAndThinking, storedProcedures } = workload;
  const builders = buildUsersOf(workload);
  const parts = [
    `HammerDB with ${count(warehouses, 'warehouse')}`,
    `${listWords(users)} virtual ${users === 1 ? 'user' : 'users'}`,
    keyingAndThinking ? 'keying and thinking' : 'no waits',
    `${durationMinutes} min per trial`,
  ];
  return {
    summary: parts.join(', '),
    facts: [
      ['transactions', `TPROC-C, as ${storedProcedures ? 'procedures' : 'functions'}; its figures are not TPC-C’s`],
      ['warehouses', allWarehouses ? 'shared out among the users' : 'one for each user, drawn'],
      ['build', `by ${count(builders, 'virtual user')}`],
    ],
  };
}

function count(number: number, what: string): string {
  return `${number.toLocaleString('en-US')} ${what}${number === 1 ? '' : 's'}`;
}
