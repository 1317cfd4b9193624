import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { superuser } from './data-folder.ts';
import type { Server } from './server.ts';

/** Name of a link in a cluster's folder. It points to the folder with the writer's socket. */
const writerLink = 'writer';
const followSeconds = 60;

/**
 * Settings of each member of a Multi-AZ DB cluster. They do not say who is the writer, so that a failover changes none of
 * them.
 *
 * @param folder folder of the cluster
 */
export function replicationSettings(member: string, folder: string, port: number): Record<string, string> {
  return {
    // The writer also knows its standbys by this name.
    cluster_name: member,
    primary_conninfo: `host=${path.join(folder, writerLink)} port=${port} user=${superuser}`,
    // On RDS, a commit waits for one of the two standbys.
    synchronous_standby_names: 'ANY 1 (*)',
    wal_retrieve_retry_interval: '100ms',
    wal_keep_size: '128MB',
  };
}

/** From now on, standbys get their WAL from this server. They connect again by themselves. */
export function leadStandbysTo(writer: Server, folder: string): void {
  const link = path.join(folder, writerLink);
  symlinkSync(writer.folder, `${link}.new`);
  renameSync(`${link}.new`, link);
}

/** Makes the server follow the writer from its next start on. */
export function makeStandby({ folder }: Server): void {
  writeFileSync(path.join(folder, 'data', 'standby.signal'), '');
}

/** Waits until this number of standbys have everything that has been written so far. */
export async function standbysFollow(writer: Server, count: number): Promise<void> {
  const [written] = await writer.query<{ lsn: string }>('SELECT pg_current_wal_lsn()::text AS lsn');
  const following = `SELECT FROM pg_stat_replication WHERE state = 'streaming' AND replay_lsn >= '${written?.lsn ?? ''}'`;
  const end = Date.now() + followSeconds * 1000;
  while ((await writer.query(following)).length < count) {
    if (Date.now() > end) throw new Error(`the standbys do not follow: see the logs beside ${writer.folder}`);
    await sleep(20);
  }
}
