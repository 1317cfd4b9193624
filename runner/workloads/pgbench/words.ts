import type { WorkloadWords } from '../tool.ts';
import { listWords } from '../lists.ts';
import { isOwnData, ownDataInWords } from './own-data/schema.ts';
import { type DeclaredWorkload, tablesOf } from './schema.ts';
import { describeMix, scriptShares } from './script-mix.ts';

export function pgbenchWords(workload: DeclaredWorkload): WorkloadWords {
  const { load, scripts } = workload;
  return {
    summary: summaryOf(workload),
    facts: [
      ...(isOwnData(load) ? [['data', ownDataInWords(load)] as [string, string]] : []),
      ['scripts', describeMix(scriptShares(scripts))],
    ],
  };
}

function summaryOf(workload: DeclaredWorkload): string {
  const { scripts, load, clients, threads, transactions, durationSeconds, rate } = workload;
  const names = scripts.map((script) => {
    const name = 'builtin' in script ? script.builtin : script.file;
    return scripts.length === 1 ? name : `${name} (weight ${script.weight})`;
  });
  const parts = [
    isOwnData(load)
      ? `pgbench on ${ownDataInWords(load)}`
      : `pgbench at scale ${tablesOf(workload).scale.toLocaleString('en-US')}`,
    `${listWords(clients)} clients on ${threads} ${threads === 1 ? 'thread' : 'threads'}`,
    names.join(' and '),
    transactions === undefined ? '' : `${transactions.toLocaleString('en-US')} transactions per client`,
    durationSeconds === undefined ? '' : `${durationSeconds} s per trial`,
    rate === undefined ? '' : `${listWords(rate)} transactions per second offered`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}
