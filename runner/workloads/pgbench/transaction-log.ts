import { exists } from '../../files/look.ts';
import type { Collector } from '../../collect/collector.ts';
import { type Measures, memberName, type Metric, scriptMetric, type SeriesRow } from '../../contract/metric.ts';
import type { LatencyDigest, LoggedLoad } from '../../contract/tool-output.ts';
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
  const inLog = {
    'log.transactions': digest.transactions,
    'log.failed': digest.failedTransactions,
    'log.skipped': digest.skippedTransactions,
  };
  const isSample = (logged.samplingRate ?? 1) < 1;
  // A part of the log has other percentiles than the whole, unless it is a random sample.
  const isWhole =
    !isSample &&
    isSame(inLog['log.transactions'], runMeasures['transactions']) &&
    isSame(inLog['log.failed'], runMeasures['transactions.failed']) &&
    isSame(inLog['log.skipped'], runMeasures['transactions.skipped']);
  const measures = {
    ...inLog,
    ...(isSample && { 'log.samplingRate': logged.samplingRate ?? null }),
    ...(isSample
      ? measuresOfSample(digest, logged)
      : isWhole
        ? measuresOf(digest, logged, runMeasures)
        : withoutPercentiles),
  };
  return { measures, isWhole };
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
  const scriptMetrics = scripts.flatMap((script) =>
    [...scriptPercentiles, 'withinLimit'].map((name) => scriptMetric(`latency.${name}`, script)),
  );
  return {
    ...withoutPercentiles,
    ...Object.fromEntries([...lags.map((name) => `lag.${name}`), ...scriptMetrics].map((name) => [name, null])),
  };
}

/** Whether the log has as many as the run says. If the run does not say, they count as the same. */
function isSame(inLog: number | null, inRun: number | null | undefined): boolean {
  return inRun === null || inRun === undefined || inLog === inRun;
}

const withoutPercentiles: Measures = Object.fromEntries(percentiles.map((name) => [`latency.${name}`, null]));

function measuresOf(digest: LatencyDigest, logged: LoggedLoad, runMeasures: Measures): Measures {
  const { latencySeconds, lagSeconds, retried, failedTurnSeconds = null, transactions, failedTransactions } = digest;
  return {
    ...Object.fromEntries(percentiles.map((name) => [`latency.${name}`, latencySeconds[name]])),
    ...(lagSeconds && Object.fromEntries(lags.map((name) => [`lag.${name}`, lagSeconds[name]]))),
    ...(retried && { 'latency.retried': retried.latencyMeanSeconds }),
    ...(failedTurnSeconds !== null &&
      failedTransactions !== null &&
      transactions > 0 && { 'client.failed': (failedTurnSeconds * failedTransactions) / transactions }),
    ...Object.fromEntries(
      (logged.scripts ?? []).flatMap((name, number) =>
        scriptMeasures(number, digest, logged, runMeasures).map(([metric, value]) => [
          scriptMetric(metric, name),
          value,
        ]),
      ),
    ),
  };
}

function scriptMeasures(
  number: number,
  { scripts = [], transactions: allTransactions }: LatencyDigest,
  { latencyLimitMicros }: LoggedLoad,
  { tps = null }: Measures,
): [metric: string, value: number | null][] {
  const found = scripts.find(({ script }) => script === number);
  // pgbench did not draw this script even once.
  if (!found) return [['transactions', 0]];
  const { transactions, failedTransactions, lateTransactions: late, latencySeconds } = found;
  return [
    ['latency.average', latencySeconds.mean],
    ...scriptPercentiles.map((name): [string, number | null] => [`latency.${name}`, latencySeconds[name]]),
    ...(latencyLimitMicros === undefined
      ? []
      : [['latency.withinLimit', shareWithin({ ...found, late, skippedTransactions: 0 })] as [string, number | null]]),
    ['transactions', transactions],
    ['transactions.failed', failedTransactions],
    ['tps', tps === null || allTransactions === 0 ? null : (tps * transactions) / allTransactions],
  ];
}

/**
 * Only percentiles. pgbench itself counts and averages all transactions, so its figures are right and those of a sample
 * are not. The largest of a sample is not the largest of all.
 */
function measuresOfSample({ latencySeconds, lagSeconds, scripts = [] }: LatencyDigest, logged: LoggedLoad): Measures {
  return {
    ...Object.fromEntries(percentiles.filter(isPercentile).map((name) => [`latency.${name}`, latencySeconds[name]])),
    ...(lagSeconds && Object.fromEntries(lags.filter(isPercentile).map((name) => [`lag.${name}`, lagSeconds[name]]))),
    ...Object.fromEntries(
      (logged.scripts ?? []).flatMap((script, number) => {
        const scriptLatencies = scripts.find((one) => one.script === number)?.latencySeconds;
        if (!scriptLatencies) return [];
        return scriptPercentiles
          .filter(isPercentile)
          .map((name) => [scriptMetric(`latency.${name}`, script), scriptLatencies[name]]);
      }),
    ),
  };
}

function isPercentile(name: string): boolean {
  return name !== 'max';
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
