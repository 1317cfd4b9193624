import { exists } from '../../files/look.ts';
import type { Collector } from '../../collect/collector.ts';
import { type Measures, memberName, type Metric, scriptMetric, type SeriesRow } from '../../contract/metric.ts';
import type { LatencyDigest, LatencySummary, LoggedLoad } from '../../contract/tool-output.ts';
import { shareWithin } from './measures.ts';

/** Folder of the logs within the folder of a trial. */
export const transactionLogFolder = 'transactions';

const percentiles = ['p50', 'p90', 'p95', 'p99', 'p999', 'max'] as const;
const lags = ['p50', 'p95', 'p99', 'max'] as const;
const scriptPercentiles = ['p50', 'p95', 'p99', 'p999', 'max'] as const;

/** Only a series: what the trials over time are drawn from. */
export const transactionsOfClass: Metric = {
  name: 'latency.from.<micros>',
  label: 'transactions of a step that took <micros> µs up to 1.41 times that',
  unit: '1',
  kind: 'count',
  better: 'higher',
  compared: null,
  hidden: true,
  source: 'the log of every transaction, by the second, and in a long trial by longer steps',
};

/** Measures from pgbench's log of every transaction: percentiles, and throughput and latency for each second. */
export const transactionLog: Collector = {
  name: 'transaction-log',
  optional: true,
  metrics: [
    counted('log.transactions', 'transactions'),
    counted('log.failed', 'failed'),
    counted('log.skipped', 'skipped'),
    {
      ...counted('log.samplingRate', 'sampled'),
      label: 'part of the transactions in the log',
      kind: 'share',
      source: 'workload.samplingRate: the percentiles are those of a sample',
    },
    transactionsOfClass,
  ],
  alsoMeasures: [
    ...percentiles.map((name) => `latency.${name}`),
    ...lags.map((name) => `lag.${name}`),
    ...scriptPercentiles.map((name) => scriptMetric(`latency.${name}`, '<script>')),
    scriptMetric('latency.withinLimit', '<script>'),
  ],
  start({ folder, logged }) {
    return Promise.resolve({
      async finish({ startedAt }, runMeasures) {
        const logs = `${folder}/${transactionLogFolder}`;
        // The generator makes the folder if it asks for a log.
        if (!exists(logs)) return {};
        const { readTransactionLogs } = await import('./log/digest-log.ts');
        const digest = await readTransactionLogs(logs, { ...logged, startedAt });
        const { measures, isWhole } = measuresInLog(digest, logged, runMeasures);
        return {
          measures,
          series: isWhole ? seriesOf(digest) : [],
          facts: { problems: digest.problems ?? [] },
        };
      },
    });
  },
};

/**
 * What a log says of its run.
 *
 * @param runMeasures what the summary of the run says
 * @returns its measures, and whether it has all transactions of the run
 */
export function measuresInLog(
  digest: LatencyDigest,
  logged: LoggedLoad,
  runMeasures: Measures,
): { measures: Measures; isWhole: boolean } {
  const counts = {
    transactions: digest.transactions,
    failed: digest.failedTransactions,
    skipped: digest.skippedTransactions,
  };
  const reported = {
    transactions: runMeasures['transactions'],
    failed: runMeasures['transactions.failed'],
    skipped: runMeasures['transactions.skipped'],
  };
  const { samplingRate = 1 } = logged;
  const isSample = samplingRate < 1;
  // What the run does not say counts as the same. A part of the log has other percentiles than the whole, unless it is a random
  // sample.
  const isWhole =
    !isSample &&
    (['transactions', 'failed', 'skipped'] as const).every(
      (kind) => (reported[kind] ?? null) === null || counts[kind] === reported[kind],
    );
  return {
    measures: {
      ...Object.fromEntries(Object.entries(counts).map(([kind, count]) => [`log.${kind}`, count])),
      ...(isSample && { 'log.samplingRate': samplingRate }),
      ...(isSample || isWhole ? latenciesIn(digest, logged, isSample) : values('latency', percentiles, null)),
      ...(isWhole && othersIn(digest, logged, runMeasures)),
    },
    isWhole,
  };
}

/**
 * Whether only the log has this metric. pgbench itself counts and averages, but not which transactions of a script were
 * late.
 */
export function isOfLog(metric: string, script: string | undefined): boolean {
  const { alsoMeasures = [] } = transactionLog;
  return alsoMeasures.includes(script === undefined ? metric : scriptMetric(metric, '<script>'));
}

function counted(name: string, what: string): Metric {
  const source = `lines in the log of every transaction: ${what}`;
  return {
    name,
    label: `${what} in the log`,
    unit: '1',
    kind: 'count',
    better: 'higher',
    compared: null,
    hidden: true,
    source,
  };
}

/** The measures that only a log has, as nulls, for a run whose log is missing. */
export function measuresWithoutLog({ scripts = [] }: LoggedLoad): Measures {
  return Object.assign(
    { ...values('latency', percentiles, null), ...values('lag', lags, null) },
    ...scripts.map((script) => ({
      ...values('latency', scriptPercentiles, null, script),
      [scriptMetric('latency.withinLimit', script)]: null,
    })),
  ) as Measures;
}

type Percentile = (typeof percentiles)[number];

/** The measures of these percentiles; null without a summary. */
function values(
  what: 'latency' | 'lag',
  names: readonly Percentile[],
  summary: LatencySummary | null,
  script?: string,
): Measures {
  const nameOf = (metric: string): string => (script === undefined ? metric : scriptMetric(metric, script));
  return Object.fromEntries(names.map((name) => [nameOf(`${what}.${name}`), summary?.[name] ?? null]));
}

/** Percentiles of the run and of each script that pgbench drew. The largest of a sample is not the largest of all. */
function latenciesIn(
  { latencySeconds, lagSeconds, scripts = [] }: LatencyDigest,
  logged: LoggedLoad,
  isSample: boolean,
): Measures {
  const known = (names: readonly Percentile[]): Percentile[] => names.filter((name) => !isSample || name !== 'max');
  return Object.assign(
    { ...values('latency', known(percentiles), latencySeconds) },
    lagSeconds && values('lag', known(lags), lagSeconds),
    ...(logged.scripts ?? []).map((name, number) => {
      const found = scripts.find(({ script }) => script === number);
      return found && values('latency', known(scriptPercentiles), found.latencySeconds, name);
    }),
  ) as Measures;
}

/** What a whole log has besides. pgbench itself counts and averages all transactions, so of a sample these would be wrong. */
function othersIn(digest: LatencyDigest, logged: LoggedLoad, { tps = null }: Measures): Measures {
  const { retried, failedTurnSeconds = null, transactions: all, failedTransactions, scripts = [] } = digest;
  const byScript = (logged.scripts ?? []).flatMap((name, number): [string, number | null][] => {
    const found = scripts.find(({ script }) => script === number);
    // pgbench did not draw this script even once.
    if (!found) return [[scriptMetric('transactions', name), 0]];
    const { transactions, lateTransactions: late } = found;
    return Object.entries({
      'latency.average': found.latencySeconds.mean,
      ...(logged.latencyLimitMicros !== undefined && {
        'latency.withinLimit': shareWithin({ ...found, late, skippedTransactions: 0 }),
      }),
      transactions,
      'transactions.failed': found.failedTransactions,
      tps: tps === null || all === 0 ? null : (tps * transactions) / all,
    }).map(([metric, value]) => [scriptMetric(metric, name), value]);
  });
  return {
    ...(retried && { 'latency.retried': retried.latencyMeanSeconds }),
    ...(failedTurnSeconds !== null &&
      failedTransactions !== null &&
      all > 0 && { 'client.failed': (failedTurnSeconds * failedTransactions) / all }),
    ...Object.fromEntries(byScript),
  };
}

function seriesOf({ perSecond, latencies = [] }: LatencyDigest): SeriesRow[] {
  return [
    ...perSecond.flatMap(({ second, transactions, latencyMeanSeconds }) => [
      { second, name: 'tps', value: transactions },
      ...(latencyMeanSeconds === null ? [] : [{ second, name: 'latency.average', value: latencyMeanSeconds }]),
    ]),
    ...latencies.map(({ second, fromMicros, transactions }) => ({
      second,
      name: memberName(transactionsOfClass, String(fromMicros)),
      value: transactions,
    })),
  ];
}
