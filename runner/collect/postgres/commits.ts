import type { Client } from '../../postgres/client.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadApplication } from '../../postgres/target.ts';
import { otherSessions } from '../../postgres/database-sessions.ts';
import type { Collector, Findings } from '../collector.ts';
import { metric } from '../metric.ts';
import { type CountedRow, differenceOf, takeSnapshot } from './counters.ts';

const metrics = [
  metric('count', 'database.commits', 'commits', {
    better: 'higher',
    source: 'pg_stat_database, for the measured database',
  }),
  metric('count', 'collect.commits', 'commits by pgduet’s own queries', {
    hidden: true,
    source: 'upper bound: pgduet’s own connections and queries around the load',
  }),
  metric('seconds', 'collect.window', 'time covered by counters', {
    hidden: true,
    source: 'from after the first source’s first look to before the last source’s last look',
  }),
];

const row: CountedRow = {
  from: 'pg_stat_database WHERE datname = current_database()',
  counters: { 'database.commits': 'xact_commit' },
};

/** What anybody committed in the trial, and who else was connected. */
export const commits: Collector = {
  name: 'commits',
  optional: false,
  metrics,
  async start({ database, serverMajor, target }) {
    const look = (client: Client) => lookAt(client, { serverMajor, isPooled: target.pooler !== undefined });
    const before = await database(look);
    return {
      async stop(): Promise<Findings> {
        const after = await database(look);
        const { measures = {}, facts = {} } = differenceOf('commits', before.snapshot, after.snapshot);
        const others = [...new Set([...before.others, ...after.others])];
        return { measures, facts: { ...facts, ...(others.length > 0 ? { otherSessions: others } : {}) } };
      },
    };
  },
};

async function lookAt(client: Client, { serverMajor, isPooled }: { serverMajor: number; isPooled: boolean }) {
  // A pooler would keep its sessions. It makes new ones for the next clients.
  if (isPooled) {
    await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${isPool}`);
    await untilNone(client, isPool);
  }
  const others = await otherSessions(client);
  await loadIsCounted(client, serverMajor);
  return { others, snapshot: await takeSnapshot(client, [row]) };
}

const inDatabase = `datname = current_database() AND backend_type = 'client backend'`;
const isLoad = `${inDatabase} AND application_name = '${loadApplication}'`;
/** A pooler's sessions: one that has been reset has no name. A pooler on another machine may give them any name. */
const isPool = `${inDatabase} AND (application_name IN ('${loadApplication}', '')
  OR usename = current_user AND client_addr <> inet_client_addr())`;

/** A session that ends takes a moment to do so. */
const [maxPolls, pollingSeconds] = [40, 0.05];
/**
 * Up to version 14, a separate process collects the counters, and readers may get values that are half a second old.
 */
const collectedAfterSeconds = 0.6;

/** Waits until the sessions of the load have ended: only then does the server count all that they committed. */
async function loadIsCounted(client: Client, serverMajor: number): Promise<void> {
  await untilNone(client, isLoad);
  if (serverMajor < 15) await sleep(collectedAfterSeconds * 1000);
}

/** @param condition of pg_stat_activity */
async function untilNone(client: Client, condition: string): Promise<void> {
  const found = async (): Promise<boolean> =>
    (await client.query(`SELECT FROM pg_stat_activity WHERE ${condition} LIMIT 1`)).rows.length > 0;
  for (let poll = 0; poll < maxPolls && (await found()); poll += 1) await sleep(pollingSeconds * 1000);
}
