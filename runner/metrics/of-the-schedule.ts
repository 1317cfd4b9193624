import type { Metric } from '../contract/metric.ts';

/** What became of the promise of a time: the moments at which transactions were to begin, and the limit that they were to keep. */
const decisive = { ofTheLoad: true, declarable: true } as const;
const lag = { ...decisive, unit: 's', kind: 'latency', better: 'lower', compared: 'ratio' } as const;
const fromLog =
  'the log of every transaction, of those that were carried out: how far behind its schedule (rate) each began';
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
    ofAllOffered: true,
    source:
      '(transactions - transactions.late) / (transactions + failed + skipped): what failed or was skipped is late',
  },
  {
    ofTheLoad: true,
    ...undecided,
    name: 'transactions.late',
    label: 'late transactions',
    unit: '1',
    kind: 'count',
    better: 'lower',
    source: 'the load generator’s own summary: carried out, but above the latency limit',
  },
  {
    ...lag,
    name: 'lag.average',
    label: 'schedule lag average',
    source:
      'the load generator’s own summary: how far behind its schedule (rate) a carried-out transaction began, which its latency holds',
  },
  { ...lag, name: 'lag.p50', label: 'schedule lag p50', source: fromLog },
  { ...lag, name: 'lag.p95', label: 'schedule lag p95', source: fromLog },
  { ...lag, name: 'lag.p99', label: 'schedule lag p99', source: fromLog },
  { ...lag, ...undecided, name: 'lag.max', label: 'schedule lag max', source: fromLog },
];
