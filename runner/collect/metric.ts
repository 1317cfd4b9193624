import type { Metric, QuantityKind } from '../contract/metric.ts';

/** Units with the kind of amount that people read them as. */
const amounts = {
  count: { unit: '1', kind: 'count' },
  share: { unit: '1', kind: 'share' },
  average: { unit: '1', kind: 'rate' },
  perSecond: { unit: '1/s', kind: 'rate' },
  seconds: { unit: 's', kind: 'duration' },
  latency: { unit: 's', kind: 'latency' },
  bytes: { unit: 'B', kind: 'bytes' },
  bytesPerSecond: { unit: 'B/s', kind: 'bytes' },
} as const satisfies Record<string, { unit: string; kind: QuantityKind }>;

export type Amount = keyof typeof amounts;

type Rest = Pick<Metric, 'source'> & Partial<Omit<Metric, 'name' | 'label' | 'unit' | 'kind'>>;

/** A metric of a source. Unless `rest` says otherwise, less of it is better, and variants are not compared by it. */
export function metric(amount: Amount, name: string, label: string, rest: Rest): Metric {
  return { name, label, ...amounts[amount], better: 'lower', compared: null, ...rest };
}
