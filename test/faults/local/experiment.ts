import { trialsOfRun } from '../plan.ts';

/** Two small variants, and two trials of three seconds. A fixed rate leaves the processors to other runs. */
export const tinyExperiment = {
  name: 'tiny',
  question: 'Does it come to its end?',
  common: {
    storage: { type: 'local', sizeGib: 0.25 },
    engine: {
      parameters: { autovacuum: false, shared_buffers: '16MB', min_wal_size: '32MB', max_wal_size: '64MB' },
    },
  },
  // One volume is limited: to measure each limit takes seconds.
  variants: { one: {}, two: { dedicatedLogVolume: true, storage: { logVolumeIops: 400 } } },
  baseline: 'one',
  workload: { tool: 'pgbench', scale: 2, clients: 2, threads: 2, durationSeconds: 3, rate: 150 },
  protocol: { blocks: trialsOfRun / 2, warmUpSeconds: 1, repeats: 0 },
  profiles: { local: {} },
};

/** Seconds that a run without a fault takes at most on a busy machine. */
export const maxRunSeconds = { folders: 20, limited: 30, deployed: 45 };
