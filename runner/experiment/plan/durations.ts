import type { Experiment } from '../../contract/experiment/schema.ts';
import type { Assumption, ResetDuration } from '../../contract/plan.ts';
import type { Level } from '../../contract/trial.ts';
import { type FullTool, toolOf } from '../../workloads/registry.ts';
import type { WorkloadDurations } from '../../workloads/tool.ts';
import type { Speed } from '../../places/definition.ts';
import { placeOf } from '../../places/registry.ts';
import { restoredSnapshot } from '../../rds/deploy/snapshots.ts';

export interface ExpectedDurations {
  createSeconds: number;
  /** One variant; its servers are loaded at the same time. Null, as below, if the size of the data is not known. */
  loadSeconds: number | null;
  /** All servers, at the same time. */
  touchSeconds: number | null;
  snapshotSeconds: number | null;
  crossoverSeconds: number;
  /** Length of each step of the reset of one variant before one trial. */
  resetSteps: ResetDuration[];
  /** Length of the measured part of a trial at a level; null if it cannot be foreseen. */
  trialSeconds: (level: Level) => number | null;
  assumptions: Assumption[];
}

/**
 * How long the parts of an experiment will take, in seconds.
 *
 * @param measured speeds that were measured, which replace the assumed ones
 */
export function expectDurations(experiment: Experiment, measured: Partial<Speeds> = {}): ExpectedDurations {
  const { workload, protocol } = experiment;
  const tool = toolOf(workload);
  const durations = tool.durations(workload);
  const { rows, bytes, assumptions } = durations;
  const speeds = { ...assumedSpeeds(experiment), ...measured };
  const restores = restoresData(experiment);
  return {
    createSeconds: speeds.createSeconds.value,
    loadSeconds: secondsFor(rows, speeds.loadedRows),
    touchSeconds: secondsFor(bytes, speeds.touchedBytes),
    snapshotSeconds: secondsFor(bytes, speeds.snapshotBytes),
    crossoverSeconds: speeds.crossoverSeconds.value,
    resetSteps: protocol.reset.map((step) => ({
      step,
      expectedSeconds: resetStepSeconds(step, durations, tool, speeds),
    })),
    trialSeconds: (level) => tool.durations(tool.resolveLevel(workload, level)).trialSeconds,
    assumptions: [
      ...(placeOf(experiment).isDeployed
        ? [minutes(restores ? 'to restore and deploy' : 'to deploy', speeds.createSeconds)]
        : []),
      restores ? megabytes('touching', speeds.touchedBytes) : perSecond('loading', speeds.loadedRows),
      ...(keepsData(experiment) ? [megabytes('making the snapshot at', speeds.snapshotBytes)] : []),
      ...(protocol.reset.includes('restore') ? [perSecond('restoring', speeds.copiedRows)] : []),
      ...(protocol.reset.includes('restart') ? [seconds('for a restart', speeds.restartSeconds)] : []),
      ...(protocol.reset.includes('prewarm') ? [megabytes('reading into the cache', speeds.prewarmedBytes)] : []),
      ...(protocol.reset.includes('vacuum') ? [perSecond('vacuum reading', speeds.vacuumedRows)] : []),
      ...(Object.values(experiment.variants).some(({ prepare }) => prepare) ? ['without what prepare runs'] : []),
      ...(protocol.crossover ? [minutes('to exchange the log volumes', speeds.crossoverSeconds)] : []),
      ...assumptions,
    ],
  };
}

function resetStepSeconds(
  step: string,
  { rows, bytes, resetSeconds = {} }: WorkloadDurations,
  { resetSteps }: FullTool,
  speeds: Speeds,
): number | null {
  switch (step) {
    case 'restore':
      return secondsFor(rows, speeds.copiedRows);
    case 'restart':
      return speeds.restartSeconds.value;
    case 'prewarm':
      return secondsFor(bytes, speeds.prewarmedBytes);
    case 'vacuum':
      return secondsFor(rows, speeds.vacuumedRows);
    default: {
      const known = resetSeconds[step];
      return known === undefined ? (resetSteps[step]?.expectedSeconds ?? 1) : known;
    }
  }
}

function secondsFor(amount: number | null, { value }: Speed): number | null {
  return amount === null ? null : amount / value;
}

function minutes(what: string, { value, source }: Speed): Assumption {
  const count = value / 60;
  return `${count < 10 ? Number(count.toFixed(1)) : Math.round(count)} minutes ${what} (${source})`;
}

function seconds(what: string, { value, source }: Speed): Assumption {
  return `${value} s ${what} (${source})`;
}

function perSecond(what: string, { value, source }: Speed): Assumption {
  return `${what} ${Math.round(value).toLocaleString('en')} rows per second (${source})`;
}

function megabytes(what: string, { value, source }: Speed): Assumption {
  return `${what} ${Math.round(value / 1e6)} MB per second (${source})`;
}

/** How fast the parts of a run are, which a plan cannot know. Lengths are in seconds; bytes and rows are per second. */
export interface Speeds {
  /** Until the variants are there: local clusters have started, or the stack is deployed. */
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
  crossoverSeconds: Speed;
  /** Bytes that one server reads from a volume made from a snapshot. */
  touchedBytes: Speed;
  /** Bytes that RDS puts into a new snapshot. */
  snapshotBytes: Speed;
  /** Transactions per second of the slowest trial; absent if nothing was measured. */
  transactions?: Speed;
}

const guess = 'a guess: AWS publishes no time';

/** What is assumed until someone has measured it. */
function assumedSpeeds(experiment: Pick<Experiment, 'variants' | 'workload' | 'data'>): Speeds {
  const { speeds } = placeOf(experiment);
  return {
    createSeconds: restoresData(experiment) ? speeds.restoreSeconds : speeds.createSeconds,
    loadedRows: toolOf(experiment.workload).durations(experiment.workload).loadedRows,
    vacuumedRows: { value: 2_000_000, source: 'a guess' },
    // 150 bytes a row, 200 MB/s.
    copiedRows: { value: 1_300_000, source: 'a guess: 200 MB/s' },
    restartSeconds: speeds.restartSeconds,
    prewarmedBytes: { value: 200e6, source: 'a guess' },
    crossoverSeconds: { value: 1800, source: guess },
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
