import type { Experiment } from '../../contract/experiment/schema.ts';
import type { Speed } from '../../places/definition.ts';
import { placeOf } from '../../places/registry.ts';
import { restoredSnapshot } from '../restored-snapshot.ts';
import { toolOf } from '../../workloads/registry.ts';

/** How fast the parts of a run are that a plan cannot know. Lengths are in seconds, bytes and rows are per second. */
export interface Speeds {
  /** Until the variants are there: clusters of this machine are started; a stack is deployed. */
  createSeconds: Speed;
  /** Rows that one server loads, its vacuum and keys included. */
  loadedRows: Speed;
  /** Rows that VACUUM reads when few of them have changed. */
  vacuumedRows: Speed;
  /** Rows that are copied as files, to restore what was loaded. */
  copiedRows: Speed;
  /** Until a server that is restarted accepts connections again. */
  restartSeconds: Speed;
  /** Bytes that one server reads into its cache. */
  prewarmedBytes: Speed;
  /** Until every log volume is at its new place. */
  crossOverSeconds: Speed;
  /** Bytes that one server reads from a volume made from a snapshot. */
  touchedBytes: Speed;
  /** Bytes that RDS puts into a new snapshot. */
  snapshotBytes: Speed;
}

const guess = 'a guess: AWS names no time';

/** What is assumed as long as nobody has measured it. */
export function assumedSpeeds(experiment: Pick<Experiment, 'variants' | 'workload' | 'data'>): Speeds {
  const { speeds } = placeOf(experiment);
  return {
    createSeconds: restoresData(experiment) ? speeds.restoreSeconds : speeds.createSeconds,
    loadedRows: toolOf(experiment.workload).durations(experiment.workload).loadedRows,
    vacuumedRows: { value: 2_000_000, source: 'a guess' },
    // 150 bytes a row, 200 MB/s.
    copiedRows: { value: 1_300_000, source: 'a guess: 200 MB/s' },
    restartSeconds: speeds.restartSeconds,
    prewarmedBytes: { value: 200e6, source: 'a guess' },
    crossOverSeconds: { value: 1800, source: guess },
    touchedBytes: {
      value: 130e6,
      source: 'measured on gp3 volumes made from snapshots, AWS re:Post, 2026; io2 was five times as fast',
    },
    snapshotBytes: { value: 100e6, source: guess },
  };
}

/** Whether the variants come with their data from a snapshot. Clusters of this machine are always loaded. */
export function restoresData(
  experiment: Pick<Experiment, 'variants' | 'workload'> & Partial<Pick<Experiment, 'data'>>,
): boolean {
  return restoredSnapshot(experiment) !== undefined && placeOf(experiment).isDeployed;
}

/** Whether a snapshot of the loaded data is kept. */
export function keepsData(experiment: Pick<Experiment, 'variants'> & Partial<Pick<Experiment, 'data'>>): boolean {
  return experiment.data?.keep === true && placeOf(experiment).isDeployed;
}
