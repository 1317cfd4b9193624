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

/**
 * Settings in force, by name, with values such as `16384 (8kB)` or `on`: the key settings, those whose defaults differ
 * between versions, and those that the experiment names.
 */
export const settings: Collector = {
  name: 'settings',
  optional: true,
  metrics: [],
  async describe({ database, parameters }) {
    return {
      settings: await database((client) => resetValues(client, [...keySettings, ...changedDefaults(), ...parameters])),
    };
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
