import type { WorkloadWords } from '../tool.ts';
import { listWords } from '../lists.ts';
import type { DeclaredWorkload } from './schema.ts';
import { describeMix, scriptShares } from './script-mix.ts';

export function pgbenchWords(workload: DeclaredWorkload): WorkloadWords {
  return { summary: summaryOf(workload), facts: [['scripts', describeMix(scriptShares(workload.scripts))]] };
}

function summaryOf({
  scripts,
  scale,
  clients,
  threads,
  transactions,
  durationSeconds,
  rate,
}: DeclaredWorkload): string {
  const names = scripts.map((script) => {
    const name = 'builtin' in script ? script.builtin : script.file;
    return scripts.length === 1 ? name : `${name} (weight ${script.weight})`;
  });
  const parts = [
    `pgbench at scale ${scale.toLocaleString('en-US')}`,
    `${listWords(clients)} clients on ${threads} ${threads === 1 ? 'thread' : 'threads'}`,
    names.join(' and '),
    transactions === undefined ? '' : `${transactions.toLocaleString('en-US')} transactions per client`,
    durationSeconds === undefined ? '' : `${durationSeconds} s per trial`,
    rate === undefined ? '' : `${listWords(rate)} transactions per second offered`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}
