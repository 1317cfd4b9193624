import type { Experiment } from '../../contract/experiment/schema.ts';
import type { Assumption, ResetDuration } from '../../contract/plan.ts';
import type { Level } from '../../contract/trial.ts';
import { toolOf } from '../../workloads/registry.ts';
import type { Tool, WorkloadDurations } from '../../workloads/tool.ts';
import type { Speed } from '../../places/definition.ts';
import { placeOf } from '../../places/registry.ts';
import { assumedSpeeds, keepsData, restoresData, type Speeds } from './speeds.ts';

export interface ExpectedDurations {
  createSeconds: number;
  /** One variant; its servers are loaded at the same time. Null, as others here, if the size of the data is not known. */
  loadSeconds: number | null;
  /** All servers, at the same time. */
  touchSeconds: number | null;
  snapshotSeconds: number | null;
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
  const durations = tool.durations(workload);
  const { rows, bytes, assumptions } = durations;
  const speeds = { ...assumedSpeeds(experiment), ...measured };
  const restores = restoresData(experiment);
  return {
    createSeconds: speeds.createSeconds.value,
    loadSeconds: secondsFor(rows, speeds.loadedRows),
    touchSeconds: secondsFor(bytes, speeds.touchedBytes),
    snapshotSeconds: secondsFor(bytes, speeds.snapshotBytes),
    crossOverSeconds: speeds.crossOverSeconds.value,
    resetSteps: protocol.reset.map((step) => ({
      step,
      expectedSeconds: resetStepSeconds(step, durations, tool, speeds),
    })),
    trialSeconds: (level) => tool.durations(tool.atLevel(workload, level)).trialSeconds,
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
      ...(protocol.crossover ? [minutes('for the log volumes to change places', speeds.crossOverSeconds)] : []),
      ...assumptions,
    ],
  };
}

function resetStepSeconds(
  step: string,
  { rows, bytes, resetSeconds = {} }: WorkloadDurations,
  { resetSteps }: Tool,
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
