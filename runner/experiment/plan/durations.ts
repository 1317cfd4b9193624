import type { Experiment, ResetStep } from '../../contract/experiment/schema.ts';

/** A guess that an expected duration rests on, in words, so that a reader can judge it. */
export type Assumption = string;

export interface ExpectedDurations {
  createSeconds: number;
  loadSeconds: number;
  /** Of one variant's reset before one trial, step by step. */
  resetSteps: ResetDuration[];
  trialSeconds: number | null;
  assumptions: Assumption[];
}

export interface ResetDuration {
  step: ResetStep;
  expectedSeconds: number;
}

/** Rows that one `pgbench -i` loads in a second, with its vacuum and primary keys: 100,000 to 300,000 were seen. */
const loadRowsPerSecond = 200_000;
const rowsPerScale = 100_000;
/** Rows that VACUUM reads in a second when few of them have changed. */
const vacuumRowsPerSecond = 2_000_000;

const localCreateSeconds = 5;
/** CloudFormation with RDS instances; 15 to 30 minutes are usual. */
const deployedCreateSeconds = 1200;

/** Rows in files that are copied in a second: 150 bytes each, 200 MB/s. */
const copiedRowsPerSecond = 1_300_000;

/** How long the parts of an experiment will take, in seconds; null where nobody can foretell. */
export function expectDurations({ variants, workload, protocol }: Experiment): ExpectedDurations {
  const local = Object.values(variants).every((variant) => variant.storage.type === 'local');
  const rows = workload.scale * rowsPerScale;
  const assumptions: Assumption[] = [
    `loading ${loadRowsPerSecond.toLocaleString('en')} rows per second`,
    ...(local ? [] : [`${deployedCreateSeconds / 60} minutes to deploy`]),
    ...(protocol.reset.includes('vacuum')
      ? [`vacuum reading ${vacuumRowsPerSecond.toLocaleString('en')} rows per second`]
      : []),
  ];

  let trialSeconds = workload.durationSeconds ?? null;
  if (workload.transactions !== undefined) {
    const { expectedTps, rate } = workload;
    const tps = rate ?? expectedTps;
    trialSeconds = tps === undefined ? null : (workload.transactions * workload.clients) / tps;
    assumptions.push(
      tps === undefined
        ? 'no expected duration: a trial ends after so many transactions and workload.expectedTps is not given'
        : `${tps.toLocaleString('en')} transactions per second${rate === undefined ? ' (workload.expectedTps)' : ' (workload.rate)'}`,
    );
  }
  const resetSteps = protocol.reset.map((step) => ({ step, expectedSeconds: resetStepSeconds(step, rows) }));
  return {
    createSeconds: local ? localCreateSeconds : deployedCreateSeconds,
    loadSeconds: rows / loadRowsPerSecond,
    resetSteps,
    trialSeconds,
    assumptions,
  };
}

function resetStepSeconds(step: ResetStep, rows: number): number {
  switch (step) {
    case 'restore':
      return rows / copiedRowsPerSecond;
    case 'vacuum':
      return rows / vacuumRowsPerSecond;
    case 'checkpoint':
      return 1;
    case 'truncate-history':
    case 'tool-default':
      return 0.1;
  }
}
