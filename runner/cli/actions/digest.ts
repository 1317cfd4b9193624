import path from 'node:path';
import { renderTable } from '../../report/media/terminal-table.ts';
import { minForQuantile } from '../../contract/metric.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { digestLogs } from '../../workloads/pgbench/log/digest-log.ts';
import type { LatencyDigest, LatencySummary } from '../../contract/tool-output.ts';
import { hanging, wrap } from '../../report/media/wrap.ts';
import type { Io } from '../io.ts';
import { absent, quantity } from '../../contract/format.ts';
import type { Declare } from '../verb.ts';
import { describeArguments } from '../options.ts';
import { left, right, type Row } from '../../report/media/table.ts';

const aggregatesNote =
  'From aggregates: each thread’s last interval is missing. Failures are known only if pgbench ran with --failures-detailed.';

export async function digest(logs: readonly string[], options: { lag?: boolean; json?: true }, io: Io): Promise<void> {
  const paths = logs.map((log) => path.resolve(io.workingFolder, log));
  const found = await digestLogs(paths, { hasLag: options.lag, signal: io.signal });
  const withoutTail = percentiles.filter(
    (name) => found.transactions < minForQuantile(metricNamed(`latency.${name}`)?.quantile ?? 0),
  );
  if (options.json) io.stdout.write(`${JSON.stringify({ ...found, withoutTail }, null, 2)}\n`);
  else io.stdout.write(renderDigest(found, withoutTail, io));
}

/** Percentiles that need a tail: transactions beyond them. */
const percentiles = ['p50', 'p90', 'p95', 'p99', 'p999'] as const;

function renderDigest(found: LatencyDigest, withoutTail: readonly string[], io: Io): string {
  const table = renderTable(
    {
      title: '',
      columns: [
        left('ms'),
        right('mean', 3),
        right('p50'),
        right('p90', 1),
        right('p95', 2),
        ...['p99', 'p99.9', 'max'].map((name) => right(name)),
      ],
      rows: [
        latencyRow('latency', found.latencySeconds),
        ...(found.lagSeconds ? [latencyRow('lag', found.lagSeconds)] : []),
      ],
      notes: [],
    },
    io,
  );
  const counts = [
    `${quantity(found.transactions, 'count')} transactions`,
    found.failedTransactions === null
      ? 'an unknown number failed'
      : `${quantity(found.failedTransactions, 'count')} failed`,
    `${quantity(found.skippedTransactions, 'count')} skipped`,
    ...(found.perSecond.length > 0 ? [`over ${quantity(found.perSecond.length, 'count')} s`] : []),
  ].join(', ');
  const isAggregated = found.transactions > 0 && found.latencySeconds.p50 === null;
  const inexact = isAggregated ? wrap(aggregatesNote, io.columns) : [];
  const short =
    found.latencySeconds.p50 === null ? [] : withoutTail.map((name) => metricNamed(`latency.${name}`)?.label);
  const tails =
    short.length > 0
      ? wrap(`Too few transactions for ${short.join(', ')}: a percentile needs ten slower transactions.`, io.columns)
      : [];
  const problems = (found.problems ?? []).flatMap((problem) => hanging('Problem: ', problem, io.columns));
  return `${[table, ...wrap(counts, io.columns), ...inexact, ...tails, ...problems].join('\n')}\n`;
}

function latencyRow(label: string, { mean, p50, p90, p95, p99, p999, max }: LatencySummary): Row {
  return { cells: [label, ...[mean, p50, p90, p95, p99, p999, max].map(milliseconds)] };
}

/** Milliseconds with all digits of the log, which is in microseconds. */
function milliseconds(seconds: number | null): string {
  return seconds === null ? absent : (seconds * 1000).toFixed(3);
}

export const declare: Declare = (command, io) => {
  describeArguments(command, 'logs of transactions or of aggregates, such as pgbench_log.*; they may be gzipped');
  command
    .option('--lag', 'the run had --rate: read a 7th column as the lag behind the schedule')
    .option('--no-lag', 'the run had no --rate: read a 7th column as the number of retries')
    .option('--json', 'print the digest as JSON')
    .action((logs: string[], options: { lag?: boolean; json?: true }) => digest(logs, options, io));
};
