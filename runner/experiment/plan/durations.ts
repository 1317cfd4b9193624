import type { Experiment } from '../../contract/experiment/schema.ts';
import type { Assumption, ResetDuration } from '../../contract/plan.ts';
import type { Level } from '../../contract/trial.ts';
import { toolOf } from '../../workloads/registry.ts';
import type { Tool } from '../../workloads/tool.ts';
import { assumedSpeeds, isLocal, keepsData, restoresData, type Speed, type Speeds } from './speeds.ts';

export interface ExpectedDurations {
  createSeconds: number;
  /** One variant; its servers are loaded at the same time. */
  loadSeconds: number;
  /** All servers, at the same time. */
  touchSeconds: number;
  snapshotSeconds: number;
  crossOverSeconds: number;
  /** Length of each step of the reset of one variant before one trial. */
  resetSteps: ResetDuration[];
  /** Length of the measured part of a trial at a level; null if nobody can foresee it. */
  trialSeconds: (level: Level) => number | null;
  assumptions: Assumption[];
}

/**
 * How long the parts of an experiment will take, in seconds.
 *
 * @param measured what is known better than what is assumed of everybody
 */
export function expectDurations(experiment: Experiment, measured: Partial<Speeds> = {}): ExpectedDurations {
  const { workload, protocol } = experiment;
  const tool = toolOf(workload);
  const { rows, bytes, assumptions } = tool.durations(workload);
  const speeds = { ...assumedSpeeds(experiment), ...measured };
  const restores = restoresData(experiment);
  return {
    createSeconds: speeds.createSeconds.value,
    loadSeconds: rows / speeds.loadedRows.value,
    touchSeconds: bytes / speeds.touchedBytes.value,
    snapshotSeconds: bytes / speeds.snapshotBytes.value,
    crossOverSeconds: speeds.crossOverSeconds.value,
    resetSteps: protocol.reset.map((step) => ({
      step,
      expectedSeconds: resetStepSeconds(step, { rows, bytes }, tool, speeds),
    })),
    trialSeconds: (level) => tool.durations(tool.atLevel(workload, level)).trialSeconds,
    assumptions: [
      ...(isLocal(experiment) ? [] : [minutes(restores ? 'to restore and deploy' : 'to deploy', speeds.createSeconds)]),
      restores ? megabytes('touching', speeds.touchedBytes) : perSecond('loading', speeds.loadedRows),
      ...(keepsData(experiment) ? [megabytes('making the snapshot at', speeds.snapshotBytes)] : []),
      ...(protocol.reset.includes('restore') ? [perSecond('restoring', speeds.copiedRows)] : []),
      ...(protocol.reset.includes('restart') ? [seconds('for a restart', speeds.restartSeconds)] : []),
      ...(protocol.reset.includes('prewarm') ? [megabytes('reading into the cache', speeds.prewarmedBytes)] : []),
      ...(protocol.reset.includes('vacuum') ? [perSecond('vacuum reading', speeds.vacuumedRows)] : []),
      ...(protocol.crossover ? [minutes('for the log volumes to change places', speeds.crossOverSeconds)] : []),
      ...assumptions,
    ],
  };
}

function resetStepSeconds(
  step: string,
  { rows, bytes }: { rows: number; bytes: number },
  { resetSteps }: Tool,
  speeds: Speeds,
): number {
  switch (step) {
    case 'restore':
      return rows / speeds.copiedRows.value;
    case 'restart':
      return speeds.restartSeconds.value;
    case 'prewarm':
      return bytes / speeds.prewarmedBytes.value;
    case 'vacuum':
      return rows / speeds.vacuumedRows.value;
    default:
      return resetSteps[step]?.expectedSeconds ?? 1;
  }
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
