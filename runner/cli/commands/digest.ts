import path from 'node:path';
import { absent, quantity } from '../../report/words/quantities.ts';
import { left, right, type Row } from '../../report/view/table.ts';
import { renderTable } from '../../report/terminal/terminal-table.ts';
import { digestLogs } from '../../workloads/pgbench/log/digest-log.ts';
import type { LatencyDigest, LatencySummary } from '../../contract/tool-output.ts';
import type { Io, RegisterCommand } from '../io.ts';

const aggregatesNote =
  'From aggregates: without the last interval of each thread, and failures only if pgbench had --failures-detailed.';

/** `digest LOG...`: percentiles and per-second series of the logs of one run of `pgbench -l`. */
export const registerDigest: RegisterCommand = (program, io) => {
  program
    .command('digest')
    .description('Percentiles and per-second series from the logs of one run of pgbench -l, of all its threads.')
    .argument('<log...>', 'logs of transactions or aggregates, gzipped or not, such as pgbench_log.*')
    .option('--lag', 'the run had --rate: a 7th column is the lag behind the schedule')
    .option('--no-lag', 'the run had no --rate: a 7th column is the number of retries')
    .option('--json', 'the digest as one JSON value')
    .action(async (logs: string[], options: { lag?: boolean; json?: true }) => {
      const paths = logs.map((log) => path.resolve(io.workingFolder, log));
      const digest = await digestLogs(paths, { hasLag: options.lag });
      if (options.json) io.stdout.write(`${JSON.stringify(digest, null, 2)}\n`);
      else io.stdout.write(renderDigest(digest, io));
    });
};

function renderDigest(digest: LatencyDigest, io: Io): string {
  const table = renderTable(
    {
      title: '',
      columns: [left('ms'), ...['mean', 'p50', 'p90', 'p95', 'p99', 'p99.9', 'max'].map(right)],
      rows: [
        latencyRow('latency', digest.latencySeconds),
        ...(digest.lagSeconds ? [latencyRow('lag', digest.lagSeconds)] : []),
      ],
      notes: [],
    },
    io,
  );
  const counts = [
    `${quantity(digest.transactions, 'count')} transactions`,
    `${quantity(digest.failedTransactions, 'count')} failed`,
    `${quantity(digest.skippedTransactions, 'count')} skipped`,
    ...(digest.perSecond.length > 0 ? [`over ${quantity(digest.perSecond.length, 'count')} s`] : []),
  ].join(', ');
  const inexact = digest.exact ? [] : [aggregatesNote];
  const problems = (digest.problems ?? []).map((problem) => `Problem: ${problem}`);
  return `${[table, counts, ...inexact, ...problems].join('\n')}\n`;
}

function latencyRow(label: string, { mean, p50, p90, p95, p99, p999, max }: LatencySummary): Row {
  return { cells: [label, ...[mean, p50, p90, p95, p99, p999, max].map(milliseconds)] };
}

/** All digits that the log has: it counts microseconds. */
function milliseconds(seconds: number | null): string {
  return seconds === null ? absent : (seconds * 1000).toFixed(3);
}
