import { type Measures, ofScript } from '../../contract/metric.ts';
import type { ToolRun, RunScript } from '../../contract/tool-output.ts';
import type { Facts } from '../../contract/trial.ts';

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
  limit: 'what ends a run',
} as const;

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
        begins: (run.lagAverageSeconds ?? null) === null ? 'as soon as a client is free' : 'at a given rate',
        limit: durationSeconds === null ? 'a number of transactions' : 'a time',
      },
      problems: run.problems,
    },
  };
}

/** null up to 13, which prints the same two speeds either way. */
function howOftenConnected({ connectionAverageSeconds, initialConnectionSeconds }: ToolRun): string | null {
  if ((connectionAverageSeconds ?? null) !== null) return 'for each transaction';
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
    ...ifKnown(ofScript('tps', name), script?.tps),
    ...ifKnown(ofScript('transactions', name), script?.transactions),
    ...ifKnown(ofScript('transactions.failed', name), script?.failedTransactions),
    ...ifKnown(ofScript('latency.average', name), script?.latencyAverageSeconds),
  };
}

/** None if there is only one script, whose figures are those of the run. */
function namesIn({ scripts }: ToolRun): string[] {
  return scripts.length > 1 ? scripts.map(({ name }) => name) : [];
}

function scriptMix({ scripts }: ToolRun): string | null {
  if (scripts.length === 0) return null;
  return scripts
    .map(({ name, weight }) => (weight === null || scripts.length === 1 ? name : `${name} (weight ${weight})`))
    .sort()
    .join(' + ');
}
