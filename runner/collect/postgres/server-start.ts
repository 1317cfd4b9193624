import type { Client } from 'pg';
import type { Collector } from '../collector.ts';

/** Whether one server carried the whole trial. After a failover, another one answers by the same name. */
export const serverStart: Collector = {
  name: 'server-start',
  optional: false,
  metrics: [],
  async describe({ database }) {
    const { rows } = await database((client) =>
      client.query<{ text: string }>(`SELECT current_setting('server_version') AS text`),
    );
    // Distributions append more to the version.
    return { serverVersion: rows[0]?.text.split(' ')[0] ?? '' };
  },
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
