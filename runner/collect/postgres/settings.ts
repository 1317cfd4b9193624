import { resetValues } from '../../postgres/reset-steps.ts';
import { changedDefaults } from '../../postgres/versions/known.ts';
import type { Collector } from '../collector.ts';
import { serverStartOf } from './counters.ts';

/**
 * Study 1's list, and further settings that decide how WAL and checkpoints behave, and since 18 how the server reads: by
 * itself, by io_uring, or by how many workers. No view of the server shows these but pg_settings.
 */
const keySettings = [
  'autovacuum',
  'checkpoint_completion_target',
  'checkpoint_timeout',
  'commit_delay',
  'commit_siblings',
  'data_checksums',
  'fsync',
  'full_page_writes',
  'io_max_concurrency',
  'io_max_workers',
  'io_method',
  'io_min_workers',
  'io_workers',
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
];

/** Settings that the database or the role brings, such as those of `ALTER DATABASE … SET` in the SQL of `prepare`. */
const broughtSettings = `SELECT DISTINCT lower(split_part(setting, '=', 1)) AS name
  FROM pg_db_role_setting, unnest(setconfig) AS setting
  WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
    AND setrole IN (0, current_user::regrole)`;

/**
 * Settings in force, by name, with values such as `16384 (8kB)` or `on`: the key settings, those whose defaults differ
 * between versions, those that the experiment names, and those that the database or the role brings.
 */
export const settings: Collector = {
  name: 'settings',
  optional: true,
  metrics: [],
  async describe({ database, parameters }) {
    return database(async (client) => {
      const { rows } = await client.query<{ name: string }>(broughtSettings);
      const brought = rows.map(({ name }) => name);
      return { settings: await resetValues(client, [...keySettings, ...changedDefaults(), ...parameters, ...brought]) };
    });
  },
};

/** Whether one server ran throughout the trial. */
export const serverStart: Collector = {
  name: 'server-start',
  optional: false,
  metrics: [],
  async start({ database }) {
    const before = await database(serverStartOf);
    return {
      async stop() {
        return { facts: { restarted: (await database(serverStartOf)) !== before } };
      },
    };
  },
};
