import type { Metric } from '../../contract/metric.ts';
import type { MembersTable } from '../../contract/metric-family.ts';
import { perMinute } from '../per-minute.ts';

const [average, p50, p95, p99] = (['average', 'p50', 'p95', 'p99'] as const).map((name): Metric => ({
  name: `procedures.<procedure>.${name}`,
  label: `<procedure> ${name}`,
  column: name,
  unit: 's',
  kind: 'latency',
  better: 'lower',
  compared: 'ratio',
  ofTheLoad: true,
  source: 'HammerDB’s time profile of each procedure, over ramp-up and measured part together',
})) as [Metric, Metric, Metric, Metric];

/** Times of one procedure, by what they are of it. */
export const procedureMetrics = { average, p50, p95, p99 };

export const proceduresTable: MembersTable = {
  id: 'procedures',
  title: 'Transactions, by HammerDB’s time profile',
  what: 'procedure',
  placeholder: '<procedure>',
  notes: ['Over ramp-up and measured part together.'],
};

export const hammerdbMetrics: readonly Metric[] = [
  {
    ...perMinute,
    name: 'nopm',
    label: 'NOPM',
    source: 'HammerDB: new orders per minute, by the numbers that the districts gave out in the measured part',
  },
  {
    ...perMinute,
    name: 'tpm',
    label: 'TPM',
    source:
      'HammerDB: commits and rollbacks per minute in the measured part, of all databases of the server, so that others count, too',
  },
  ...Object.values(procedureMetrics),
];
