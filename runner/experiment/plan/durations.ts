import type { Experiment } from '../../contract/experiment/schema.ts';
import type { Assumption, ResetDuration } from '../../contract/plan.ts';
import type { Level } from '../../contract/trial.ts';
import { toolOf } from '../../workloads/registry.ts';
import type { Tool } from '../../workloads/tool.ts';

export interface ExpectedDurations {
  createSeconds: number;
  loadSeconds: number;
  /** Length of each step of the reset of one variant before one trial. */
  resetSteps: ResetDuration[];
  /** Length of the measured part of a trial at a level; null if nobody can foresee it. */
  trialSeconds: (level: Level) => number | null;
  assumptions: Assumption[];
}

const localCreateSeconds = 5;
/** CloudFormation with RDS instances; 15 to 30 minutes are usual. */
const deployedCreateSeconds = 1200;
/** Rows that VACUUM reads in a second when few of them have changed. */
const vacuumRowsPerSecond = 2_000_000;
/** Rows that are copied as files in a second: 150 bytes a row, 200 MB/s. */
const copiedRowsPerSecond = 1_300_000;

/** How long the parts of an experiment will take, in seconds. */
export function expectDurations({ variants, workload, protocol }: Experiment): ExpectedDurations {
  const tool = toolOf(workload);
  const local = Object.values(variants).every((variant) => variant.storage.type === 'local');
  const [loading, ...others] = tool.durations(workload).assumptions;
  const { rows, loadSeconds } = tool.durations(workload);
  return {
    createSeconds: local ? localCreateSeconds : deployedCreateSeconds,
    loadSeconds,
    resetSteps: protocol.reset.map((step) => ({ step, expectedSeconds: resetStepSeconds(step, rows, tool) })),
    trialSeconds: (level) => tool.durations(tool.atLevel(workload, level)).trialSeconds,
    assumptions: [
      ...(loading === undefined ? [] : [loading]),
      ...(local ? [] : [`${deployedCreateSeconds / 60} minutes to deploy`]),
      ...(protocol.reset.includes('vacuum')
        ? [`vacuum reading ${vacuumRowsPerSecond.toLocaleString('en')} rows per second`]
        : []),
      ...others,
    ],
  };
}

function resetStepSeconds(step: string, rows: number, { resetSteps }: Tool): number {
  if (step === 'restore') return rows / copiedRowsPerSecond;
  if (step === 'vacuum') return rows / vacuumRowsPerSecond;
  return resetSteps[step]?.expectedSeconds ?? 1;
}
