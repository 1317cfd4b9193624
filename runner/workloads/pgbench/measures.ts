import type { Measures } from '../../contract/metric.ts';
import type { Run } from '../../contract/tool-output.ts';
import type { Facts } from '../../contract/trial.ts';

/** Words for the identity facts of a run. */
export const identityWords = {
  clientVersion: 'the version of the client',
  scale: 'the scale',
  clients: 'the number of clients',
  threads: 'the number of threads',
  scripts: 'the mix of scripts',
} as const;

/**
 * The measures and facts of a pgbench run.
 *
 * @param closedLoop whether its clients were always busy: with a rate they also wait for their schedule
 */
export function measuresOfRun(run: Run, { closedLoop }: { closedLoop: boolean }): { measures: Measures; facts: Facts } {
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
    },
    facts: {
      identity: {
        clientVersion: run.clientVersion,
        serverVersion: run.serverVersion,
        scale: run.scale,
        clients,
        threads: run.threads,
        scripts: scriptMix(run),
      },
      problems: run.problems,
    },
  };
}

function scriptMix({ scripts }: Run): string | null {
  if (scripts.length === 0) return null;
  return scripts
    .map(({ name, weight }) => (weight === null || scripts.length === 1 ? name : `${name} (weight ${weight})`))
    .sort()
    .join(' + ');
}
