import type { Measures, Metric } from '../contract/metric.ts';

/**
 * What a client's turn is made of, by the load generator's own figures: connecting, what it calls latency, the turns
 * that ended with a failure, and the rest. A turn lasts from the end of one carried-out transaction to the end of the
 * next.
 */
const time = { unit: 's', kind: 'latency', better: 'lower', compared: null } as const;
const fromSummary = { reportedByLoad: true, source: 'the load generator’s own summary' } as const;

export const metricsOfTheClient: readonly Metric[] = [
  {
    ...time,
    ...fromSummary,
    name: 'latency.connection',
    label: 'connection time',
    compared: 'ratio',
    declarable: true,
    source:
      'pgbench’s average connection time, for each transaction with reconnect; part of lag and latency only with rate',
  },
  {
    ...time,
    name: 'load.connecting',
    label: 'time until all clients were connected',
    kind: 'duration',
    source: 'pgbench’s initial connection time, which is before the measured time; without reconnect',
  },
  {
    ...time,
    ...fromSummary,
    name: 'client.turn',
    label: 'turnaround per transaction',
    hidden: true,
    source: 'clients / TPS, if clients are always busy',
  },
  {
    ...time,
    name: 'client.failed',
    label: 'time of failed transactions, per transaction',
    source:
      'the log of every transaction: time from the end of the client’s previous transaction to the end of the failed one, summed up / transactions',
  },
  {
    ...time,
    name: 'latency.retried',
    label: 'latency of retried transactions',
    source: 'the log of every transaction: mean of those with more than one try, all of their tries together',
  },
  {
    ...time,
    name: 'latency.betweenStatements',
    label: 'latency between statements',
    source:
      'latency average minus lag average (rate) and the averages of its SQL statements (perStatement): the time of meta-commands such as \\sleep, and of the client',
  },
  {
    ...time,
    name: 'client.time',
    label: 'client overhead per transaction',
    source:
      'client.turn minus latency.average, latency.connection and client.failed; null if the time of failed transactions is unknown',
    derive: clientTime,
  },
  {
    ...time,
    name: 'client.share',
    label: 'client overhead, share of turnaround',
    unit: '1',
    kind: 'share',
    source: 'client.time / client.turn',
    derive(measures) {
      const { 'client.turn': turn = null, 'client.time': rest = null } = measures;
      return turn === null || rest === null || turn <= 0 ? null : rest / turn;
    },
  },
];

function clientTime({
  'client.turn': turn = null,
  'latency.average': latency = null,
  'latency.connection': connecting = null,
  'transactions.failed': failures = null,
  'client.failed': failed = null,
}: Measures): number | null {
  if (turn === null || latency === null) return null;
  // Without a log, nothing says how long the failed ones took.
  if ((failures ?? 0) > 0 && failed === null) return null;
  return turn - latency - (connecting ?? 0) - (failed ?? 0);
}

/** Whether transactions kept to their times: to the schedule on which they were to begin, and to the latency limit. */
const decisive = { reportedByLoad: true, declarable: true } as const;
const lag = { ...decisive, unit: 's', kind: 'latency', better: 'lower', compared: 'ratio' } as const;
const fromLog = 'the log of every transaction: how far behind its schedule (rate) each completed transaction began';
const undecided = { compared: null, declarable: false, hidden: true } as const;

export const metricsOfTheSchedule: readonly Metric[] = [
  {
    ...decisive,
    name: 'latency.withinLimit',
    label: 'transactions within the latency limit',
    unit: '1',
    kind: 'share',
    better: 'higher',
    compared: 'difference',
    countsLost: true,
    dependsOn: 'latencyLimitMs',
    source:
      '(transactions - transactions.late) / (transactions + failed + skipped): failed and skipped transactions count as late',
  },
  {
    reportedByLoad: true,
    ...undecided,
    name: 'transactions.late',
    label: 'late transactions',
    unit: '1',
    kind: 'count',
    better: 'lower',
    source: 'the load generator’s own summary: completed, but above the latency limit',
  },
  {
    ...lag,
    name: 'lag.average',
    label: 'schedule lag average',
    source:
      'the load generator’s own summary: how far behind its schedule (rate) a completed transaction began, which is part of its latency',
  },
  { ...lag, quantile: 0.5, name: 'lag.p50', label: 'schedule lag p50', source: fromLog },
  { ...lag, quantile: 0.95, name: 'lag.p95', label: 'schedule lag p95', source: fromLog },
  { ...lag, quantile: 0.99, name: 'lag.p99', label: 'schedule lag p99', source: fromLog },
  { ...lag, ...undecided, name: 'lag.max', label: 'schedule lag max', source: fromLog },
];
