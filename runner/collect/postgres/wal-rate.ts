import type { Metric } from '../../contract/metric.ts';
import type { Collection, Collector } from '../collector.ts';
import { connectSampler, type Counters, ratesOf, sampleServer } from '../sampler.ts';

const rate: Metric = {
  name: 'wal.rate',
  label: 'WAL per second',
  unit: 'B/s',
  kind: 'bytes',
  better: 'lower',
  compared: null,
  source: 'pg_current_wal_insert_lsn, every second',
};

/** How much WAL the server makes in each second, whatever its volumes are. */
export const walRate: Collector = {
  name: 'wal-rate',
  optional: true,
  metrics: [rate],
  async start({ target }): Promise<Collection> {
    const client = await connectSampler(target);
    const query = {
      name: 'wal',
      text: `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS "${rate.name}"`,
    };
    const sampler = sampleServer(client, 1, async () => (await client.query<Counters>(query)).rows[0] ?? {});
    return {
      async stop({ startedAt, endedAt }) {
        const { samples, failure } = await sampler.stop();
        const inTrial = samples.filter(({ at }) => at >= startedAt.getTime() && at <= endedAt.getTime());
        const warnings = failure ? [`WAL per second was not sampled to the end: ${failure.message}`] : [];
        return { ...ratesOf(inTrial, startedAt), warnings };
      },
      abandon: () => sampler.abandon(),
    };
  },
};
