import { isRefusal } from '../../contract/errors.ts';
import { absent, reasonOfRefusal } from '../absent.ts';
import type { Collection, Collector } from '../collector.ts';
import { metric } from '../metric.ts';
import { type Counters, ratesOf, sampleServer } from '../sampler.ts';

const rate = metric('bytesPerSecond', 'wal.rate', 'WAL per second', {
  source: 'pg_current_wal_insert_lsn, every second',
});

/** How much WAL the server makes in each second, whatever its volumes are. */
export const walRate: Collector = {
  name: 'wal-rate',
  optional: true,
  metrics: [rate],
  async start({ target }): Promise<Collection> {
    const query = {
      name: 'wal',
      text: `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS "${rate.name}"`,
    };
    const sampler = await sampleServer(
      target,
      1,
      async (client) => (await client.query<Counters>(query)).rows[0] ?? {},
    );
    return {
      async stop({ startedAt, endedAt }) {
        const { samples, failure } = await sampler.stop();
        const inTrial = samples.filter(({ at }) => at >= startedAt.getTime() && at <= endedAt.getTime());
        if (isRefusal(failure)) return absent(walRate.name, reasonOfRefusal(failure));
        const warnings = failure ? [`WAL per second was not sampled to the end: ${failure.message}`] : [];
        return { ...ratesOf(inTrial, startedAt), warnings };
      },
      abandon: () => sampler.abandon(),
    };
  },
};
