import type { WorkloadWords } from '../tool.ts';
import { listWords } from '../lists.ts';
import type { DeclaredRun, PgbenchScript } from './schema.ts';

/** @param data what the load runs on, such as `at scale 100`, and what the plan says about it */
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

/** What metrics call a script: the built-in's own name, or the path of the file without `.sql`. */
export function scriptName(script: PgbenchScript): string {
  return 'builtin' in script ? script.builtin : script.file.replace(/\.sql$/, '');
}

/** Names of the scripts in the order of their numbers; none if there is only one, which needs no distinction. */
export function scriptsApart(scripts: readonly PgbenchScript[]): string[] {
  return scripts.length > 1 ? scripts.map(scriptName) : [];
}

export interface ScriptShare {
  name: string;
  weight: number;
  /** Share of all transactions, from 0 to 1. */
  share: number;
}

/** The share of the transactions that each script gets: pgbench draws a script for every transaction, by weight. */
export function scriptShares(scripts: readonly PgbenchScript[]): ScriptShare[] {
  const total = scripts.reduce((sum, { weight }) => sum + weight, 0);
  return scripts.map((script) => ({
    name: 'builtin' in script ? script.builtin : script.file,
    weight: script.weight,
    share: script.weight / total,
  }));
}

export function describeMix(shares: readonly ScriptShare[]): string {
  if (shares.length === 1) return `all ${shares[0]?.name ?? ''}`;
  const [first] = shares;
  const halves = shares.length === 2 && first?.share === 0.5;
  return shares
    .map(({ name, share }) => (halves ? `half ${name}` : `${(share * 100).toFixed(1).replace(/\.0$/, '')} % ${name}`))
    .join(', ');
}
