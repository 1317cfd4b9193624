import { type Metric, ratioOf } from '../contract/metric.ts';
import { quantile } from '../statistics/summaries.ts';
import { areLong, wholeSeconds } from './whole-seconds.ts';

/**
 * Metrics that any load generator may report for a trial. Each tool says which of them it reports: if it reports no
 * percentiles, none are compared.
 */
const shared = { reportedByLoad: true, source: 'the load generator’s own summary' } as const;
const decisive = { ...shared, compared: 'ratio', declarable: true } as const;
const throughput = { unit: '1/s', kind: 'rate', better: 'higher', reportedByLoad: true } as const;
const latency = { unit: 's', kind: 'latency', better: 'lower' } as const;
const percentile = {
  ...decisive,
  ...latency,
  source: 'the log of every transaction; for sysbench, its histogram, which rounds each latency by up to 0.9%',
} as const;
const count = { ...shared, unit: '1', kind: 'count', compared: null, hidden: true } as const;

function latencyWords(statistic: string): Pick<Metric, 'label' | 'statistic' | 'inSentence'> {
  return { label: `latency ${statistic}`, statistic, inSentence: `${statistic} latency` };
}

/** Of fewer, a tenth percentile is hardly more than the slowest one. */
const minWholeSeconds = 3;

export const metricsOfTheLoad: readonly Metric[] = [
  {
    name: 'runtime',
    label: 'runtime',
    pace: true,
    changePhrase: { is: 'needs', was: 'needed', more: 'more time', less: 'less time', as: 'much time' },
    unit: 's',
    kind: 'duration',
    better: 'lower',
    ...decisive,
    onlyOfGivenWork: true,
  },
  {
    name: 'tps',
    ...throughput,
    label: 'TPS',
    pace: true,
    ...decisive,
    changePhrase: { is: 'is', was: 'was', more: 'faster', less: 'slower', as: 'fast' },
  },
  {
    name: 'tps.total',
    ...throughput,
    label: 'TPS, mean of all trials',
    compared: 'totals',
    source: 'tps; compared by the ratio of the means, in which a trial that stalls counts in full',
    derive: ({ tps = null }) => tps,
  },
  {
    name: 'tps.p10',
    ...throughput,
    label: 'TPS in slow seconds',
    compared: 'ratio',
    declarable: true,
    // The first and the last second of a trial need not be whole.
    minSeconds: minWholeSeconds + 2,
    source:
      'tenth percentile of the throughput of at least three whole seconds: one second in ten is slower; not of long transactions',
    withheldIf: (measures) => (measures['seconds.whole'] ?? minWholeSeconds) < minWholeSeconds || areLong(measures),
    deriveFromSeries: (series) =>
      quantile(
        wholeSeconds(series.get('tps')).map(({ value }) => value),
        0.1,
      ),
  },
  {
    name: 'latency.average',
    ...latencyWords('average'),
    pace: true,
    ...decisive,
    ...latency,
  },
  { name: 'latency.p50', ...latencyWords('p50'), ...percentile, quantile: 0.5 },
  {
    name: 'latency.p90',
    ...latencyWords('p90'),
    ...percentile,
    quantile: 0.9,
    compared: null,
    declarable: false,
    hidden: true,
  },
  { name: 'latency.p95', ...latencyWords('p95'), ...percentile, quantile: 0.95 },
  { name: 'latency.p99', ...latencyWords('p99'), ...percentile, quantile: 0.99 },
  {
    name: 'latency.p999',
    ...latencyWords('p99.9'),
    ...percentile,
    quantile: 0.999,
    declarable: false,
  },
  {
    name: 'latency.max',
    ...latencyWords('max'),
    ...percentile,
    compared: null,
    declarable: false,
    hidden: true,
  },
  {
    name: 'latency.stddev',
    ...latencyWords('stddev'),
    ...latency,
    ...shared,
    compared: null,
    hidden: true,
  },
  { ...count, name: 'load.clients', label: 'clients', better: 'higher', source: 'the workload' },
  {
    ...count,
    name: 'pooler.size',
    label: 'sessions of the pool',
    better: 'higher',
    source:
      'the most sessions that the pooler has for the load: pooler.poolSize, or pooler.maxConnectionsPercent of max_connections; absent without a pooler',
  },
  { name: 'transactions', label: 'transactions', ...count, better: 'higher' },
  { name: 'transactions.failed', label: 'failed transactions', ...count, better: 'lower' },
  { name: 'transactions.skipped', label: 'skipped transactions', ...count, better: 'lower' },
  { name: 'transactions.retried', label: 'retried transactions', ...count, better: 'lower' },
  { name: 'transactions.retries', label: 'retries', ...count, better: 'lower' },
  ...(['serialization', 'deadlock', 'other'] as const).map((why): Metric => ({
    name: `failures.${why}`,
    label: `transactions that failed: ${why}`,
    ...count,
    better: 'lower',
    hidden: false,
    source: 'the load generator’s own summary, with failuresDetailed',
  })),
  {
    name: 'load.seconds',
    label: 'load duration',
    unit: 's',
    kind: 'duration',
    better: 'lower',
    compared: null,
    reportedByLoad: true,
    hidden: true,
    source: 'transactions / tps: by the load generator’s own clock',
    derive: (measures) => ratioOf(measures, 'transactions', 'tps'),
  },
  {
    name: 'load.processSeconds',
    label: 'load process time',
    unit: 's',
    kind: 'duration',
    better: 'lower',
    compared: null,
    reportedByLoad: true,
    hidden: true,
    source: 'from its start, or the start of the measured part, to its last output, by the clock of the file system',
  },
  {
    name: 'load.printed',
    label: 'load output',
    unit: 'B/s',
    kind: 'bytes',
    better: 'lower',
    compared: null,
    reportedByLoad: true,
    hidden: true,
    source: 'what the load generator wrote to stdout and stderr, divided by the time of its process',
  },
  {
    name: 'load.ceiling',
    label: 'load generator ceiling (TPS without a server)',
    ...throughput,
    compared: null,
    hidden: true,
    source: 'the load generator with a script that asks the server for nothing, on the driver at the start of the run',
  },
  {
    name: 'load.commits',
    label: 'commits of the load',
    ...count,
    better: 'higher',
    source:
      'transactions × commits of each, and of sysbench what its clients prepare; null if your own script decides that',
  },
  {
    name: 'progress.gap',
    label: 'longest gap in load generator reports',
    ...count,
    unit: 's',
    kind: 'duration',
    better: 'lower',
    source: 'the longest time between two of its reports, one of which is due every second',
  },
  {
    name: 'progress.silence',
    label: 'longest time without a transaction, by its reports',
    ...count,
    unit: 's',
    kind: 'duration',
    better: 'lower',
    source: 'the longest time in which no transaction ended, by these reports',
  },
  {
    name: 'progress.emptied',
    label: 'progress file truncations',
    ...count,
    better: 'lower',
    source:
      'how often pgduet, looking ten times a second, saw that the load had emptied the file of these reports; absent if it never did',
  },
];
