import type { Client } from 'pg';
import type { Collector } from '../collector.ts';

/** Whether one server ran throughout the trial. After a failover, another server answers to the same name. */
export const serverStart: Collector = {
  name: 'server-start',
  optional: false,
  metrics: [],
  async start({ database }) {
    const before = await database(startOf);
    return {
      async stop() {
        return { facts: { restarted: (await database(startOf)) !== before } };
      },
    };
  },
};

async function startOf(client: Client): Promise<string> {
  const { rows } = await client.query<{ started: string }>('SELECT pg_postmaster_start_time()::text AS started');
  return rows[0]?.started ?? '';
}
