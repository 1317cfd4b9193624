import type { WorkloadDurations } from '../tool.ts';
import type { PgbenchWorkload } from './schema.ts';

/** Rows that one `pgbench -i` loads per second, including its vacuum and primary keys. Measured: 100,000 to 300,000. */
const loadRowsPerSecond = 200_000;
const rowsPerScale = 100_000;

export function pgbenchDurations(workload: PgbenchWorkload): WorkloadDurations {
  const { scale, clients, transactions, durationSeconds = null, expectedTps, rate } = workload;
  const rows = scale * rowsPerScale;
  const loading = `loading ${loadRowsPerSecond.toLocaleString('en')} rows per second`;
  const common = { rows, loadSeconds: rows / loadRowsPerSecond };
  if (transactions === undefined) return { ...common, trialSeconds: durationSeconds, assumptions: [loading] };
  const tps = rate ?? expectedTps;
  if (tps === undefined) {
    const unknown =
      'no expected duration: a trial ends after so many transactions and workload.expectedTps is not given';
    return { ...common, trialSeconds: null, assumptions: [loading, unknown] };
  }
  const origin = rate === undefined ? 'workload.expectedTps' : 'workload.rate';
  return {
    ...common,
    trialSeconds: (transactions * clients) / tps,
    assumptions: [loading, `${tps.toLocaleString('en')} transactions per second (${origin})`],
  };
}
