import type { Client } from 'pg';

/** Study 1's list, and what else decides how WAL and checkpoints behave. */
export const keySettings = [
  'checkpoint_completion_target',
  'checkpoint_timeout',
  'commit_delay',
  'commit_siblings',
  'data_checksums',
  'full_page_writes',
  'fsync',
  'max_wal_size',
  'min_wal_size',
  'shared_buffers',
  'synchronous_commit',
  'track_io_timing',
  'track_wal_io_timing',
  'wal_buffers',
  'wal_compression',
  'wal_segment_size',
  'wal_sync_method',
  'wal_writer_delay',
  'wal_writer_flush_after',
  'autovacuum',
] as const;

/** The key settings, and those that the experiment names, as in force, by name: `16384 (8kB)`, `on`. */
export async function readSettings(client: Client, named: readonly string[]): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; value: string }>(
    `SELECT name, setting || coalesce(' (' || unit || ')', '') AS value
       FROM pg_settings WHERE name = ANY ($1) ORDER BY name`,
    [[...keySettings, ...named]],
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

/** Version as the server tells it: `{ text: '15.18', major: 15 }`. */
export async function readServerVersion(client: Client): Promise<{ text: string; major: number }> {
  const { rows } = await client.query<{ text: string; number: string }>(
    `SELECT current_setting('server_version') AS text, current_setting('server_version_num') AS number`,
  );
  const text = rows[0]?.text.split(' ')[0] ?? '';
  return { text, major: Math.floor(Number(rows[0]?.number) / 10_000) };
}
