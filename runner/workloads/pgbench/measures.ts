import path from 'node:path';
import { type Measures, scriptMetric } from '../../contract/metric.ts';
import type { RunScript, ToolRun } from '../../contract/tool-output.ts';
import type { Facts } from '../../contract/trial.ts';
import type { WorkloadWords } from '../tool.ts';
import { listWords } from '../lists.ts';
import type { DeclaredRun, PgbenchScript } from './schema.ts';
import { withNoun } from '../../contract/format.ts';

/** Words for the identity facts of a run. */
export const identityWords = {
  clientVersion: 'the version of the client',
  scale: 'the scale',
  clients: 'the number of clients',
  threads: 'the number of threads',
  scripts: 'the mix of scripts',
  queryMode: 'the query mode',
  maxTries: 'the maximum number of tries',
  connects: 'how often a client connects',
  begins: 'when a transaction begins',
  latencyLimitMs: 'the latency limit in ms',
  limit: 'what ends a run',
  durationSeconds: 'the duration in seconds',
} as const;

/** Those that say which work was offered. */
export const conditions: readonly (keyof typeof identityWords)[] = [
  'scale',
  'clients',
  'scripts',
  'queryMode',
  'connects',
  'begins',
];

/**
 * The measures and facts of a pgbench run.
 *
 * @param closedLoop whether its clients were always busy: with a rate they also wait for their schedule
 * @param scripts names of its scripts, in their order. @default as pgbench prints them
 */
export function measuresOfRun(
  run: ToolRun,
  { closedLoop, scripts = namesIn(run) }: { closedLoop: boolean; scripts?: readonly string[] },
): { measures: Measures; facts: Facts } {
  const { clients, transactions, tps, durationSeconds } = run;
  // pgbench prints no duration with -t. Its tps is defined as transactions divided by duration.
  const runtime = durationSeconds ?? (transactions !== null && tps !== null && tps > 0 ? transactions / tps : null);
  return {
    measures: {
      runtime,
      tps,
      'latency.average': run.latencyAverageSeconds,
      'latency.stddev': run.latencyStddevSeconds,
      'client.turn': closedLoop && clients !== null && tps !== null && tps > 0 ? clients / tps : null,
      transactions,
      'transactions.failed': run.failedTransactions,
      'transactions.skipped': run.skippedTransactions,
      'transactions.retried': run.retriedTransactions,
      'transactions.retries': run.retries ?? null,
      ...lateIn(run),
      ...ifKnown('lag.average', run.lagAverageSeconds),
      ...ifKnown('latency.connection', run.connectionAverageSeconds),
      ...ifKnown('load.connecting', run.initialConnectionSeconds),
      ...ifKnown('failures.serialization', run.failures?.serialization),
      ...ifKnown('failures.deadlock', run.failures?.deadlock),
      ...ifKnown('failures.other', run.failures?.other),
      ...(Object.assign({}, ...scripts.map((name, index) => measuresOfScript(name, run.scripts[index]))) as Measures),
    },
    facts: {
      identity: {
        clientVersion: run.clientVersion,
        serverVersion: run.serverVersion,
        scale: run.scale,
        clients,
        threads: run.threads,
        scripts: scriptMix(run),
        queryMode: run.queryMode ?? null,
        maxTries: run.maxTries ?? null,
        connects: howOftenConnected(run),
        begins: (run.lagAverageSeconds ?? null) === null ? 'closed-loop' : 'rate',
        ...latencyLimitFact(run.latencyLimitSeconds),
        limit: durationSeconds === null ? 'transactions' : 'time',
        durationSeconds,
      },
      problems: run.problems,
    },
  };
}

/** In whole microseconds, as pgbench counts it. */
function latencyLimitFact(seconds: number | null | undefined): Facts['identity'] {
  return ifKnown('latencyLimitMs', seconds && Math.round(seconds * 1e6) / 1000);
}

/** null up to 13, which prints the same two speeds either way. */
function howOftenConnected({ connectionAverageSeconds, initialConnectionSeconds }: ToolRun): 'each' | 'once' | null {
  if ((connectionAverageSeconds ?? null) !== null) return 'each';
  return (initialConnectionSeconds ?? null) === null ? null : 'once';
}

function ifKnown(name: string, value: number | null | undefined): Measures {
  return value === null || value === undefined ? {} : { [name]: value };
}

function lateIn({ transactions, lateTransactions: late, failedTransactions, skippedTransactions }: ToolRun): Measures {
  if (late === null || late === undefined) return {};
  const within = shareWithin({ transactions: transactions ?? 0, late, failedTransactions, skippedTransactions });
  return { 'transactions.late': late, 'latency.withinLimit': within };
}

/** Failed and skipped transactions are outside the limit, however long they took. null if nothing was offered. */
export function shareWithin(counts: {
  transactions: number;
  /** How many of these transactions were late. */
  late: number;
  failedTransactions: number | null;
  skippedTransactions: number | null;
}): number | null {
  const { transactions, late, failedTransactions, skippedTransactions } = counts;
  const offered = transactions + (failedTransactions ?? 0) + (skippedTransactions ?? 0);
  return offered === 0 ? null : (transactions - late) / offered;
}

/** The summary of a script, if the run has several. A log of every transaction has more. */
function measuresOfScript(name: string, script: RunScript | undefined): Measures {
  return {
    ...ifKnown(scriptMetric('tps', name), script?.tps),
    ...ifKnown(scriptMetric('transactions', name), script?.transactions),
    ...ifKnown(scriptMetric('transactions.failed', name), script?.failedTransactions),
    ...ifKnown(scriptMetric('latency.average', name), script?.latencyAverageSeconds),
  };
}

/** None if there is only one script, whose figures are those of the run. */
function namesIn({ scripts }: ToolRun): string[] {
  return scripts.length > 1 ? scripts.map(({ name }) => name) : [];
}

function scriptMix({ scripts }: ToolRun): string | null {
  if (scripts.length === 0) return null;
  return scripts
    .map(({ name, weight }) => [plainName(name), weight === null || scripts.length === 1 ? '' : ` (weight ${weight})`])
    .map((parts) => parts.join(''))
    .sort()
    .join(' + ');
}

/** The same for the same script, wherever its file is, and whichever version of pgbench names a built-in one. */
function plainName(printed: string): string {
  const name = path.basename(printed.replace(/^builtin: /, ''));
  return name === 'SELECT only' ? 'select only' : name;
}

/** More scripts are only counted. */
const maxNamed = 3;

/** @param data what the load runs on, such as `at scale 100`, and what the plan says about it */
export function runWords(
  { scripts, clients, threads, transactions, durationSeconds, rate }: DeclaredRun,
  data: { summary: string; facts?: WorkloadWords['facts'] },
): WorkloadWords {
  const names = scripts.map((script) =>
    scripts.length === 1 ? printedName(script) : `${printedName(script)} (weight ${script.weight})`,
  );
  const sending = `${listWords(clients, 'client')} on ${withNoun(threads, 'thread')}`;
  const parts = [
    `pgbench ${data.summary}`,
    sending,
    names.length > maxNamed ? withNoun(names.length, 'script') : names.join(' and '),
    transactions === undefined ? '' : `${withNoun(transactions, 'transaction')} per client`,
    durationSeconds === undefined ? '' : `${durationSeconds} s per trial`,
    rate === undefined ? '' : `${listWords(rate, 'transaction')} per second offered`,
  ];
  return {
    summary: parts.filter((part) => part !== '').join(', '),
    facts: [...(data.facts ?? []), ['load', sending], ['scripts', mixWords(scripts)]],
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

/** The part of the transactions that each script gets: pgbench draws a script for every transaction, by weight. */
function mixWords(scripts: readonly PgbenchScript[]): string {
  const [first, second, ...others] = scripts;
  if (first && !second) return `all ${printedName(first)}`;
  const areHalves = others.length === 0 && first?.weight === second?.weight;
  const total = scripts.reduce((sum, { weight }) => sum + weight, 0);
  return scripts
    .map((script) => {
      const percent = ((script.weight / total) * 100).toFixed(1).replace(/\.0$/, '');
      return `${areHalves ? 'half' : `${percent}%`} ${printedName(script)}`;
    })
    .join(', ');
}

function printedName(script: PgbenchScript): string {
  return 'builtin' in script ? script.builtin : script.file;
}
