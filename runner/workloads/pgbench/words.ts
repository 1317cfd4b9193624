import type { WorkloadWords } from '../tool.ts';
import { listWords } from '../lists.ts';
import type { DeclaredRun } from './schema.ts';
import { describeMix, scriptShares } from './script-mix.ts';

/** @param data what the load is put on, such as `at scale 100`, and what the plan says of it */
export function runWords(
  { scripts, clients, threads, transactions, durationSeconds, rate }: DeclaredRun,
  data: { summary: string; facts?: WorkloadWords['facts'] },
): WorkloadWords {
  const names = scripts.map((script) => {
    const name = 'builtin' in script ? script.builtin : script.file;
    return scripts.length === 1 ? name : `${name} (weight ${script.weight})`;
  });
  const parts = [
    `pgbench ${data.summary}`,
    `${listWords(clients)} clients on ${threads} ${threads === 1 ? 'thread' : 'threads'}`,
    names.join(' and '),
    transactions === undefined ? '' : `${transactions.toLocaleString('en-US')} transactions per client`,
    durationSeconds === undefined ? '' : `${durationSeconds} s per trial`,
    rate === undefined ? '' : `${listWords(rate)} transactions per second offered`,
  ];
  return {
    summary: parts.filter((part) => part !== '').join(', '),
    facts: [...(data.facts ?? []), ['scripts', describeMix(scriptShares(scripts))]],
  };
}
