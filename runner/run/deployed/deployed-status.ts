import { decidingMetric } from '../../contract/experiment/schema.ts';
import path from 'node:path';
import type { AwsClients } from '../../aws/clients.ts';
import type { Binding } from '../../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';
import type { Result } from '../../contract/result.ts';
import type { RunState } from '../../contract/status.ts';
import type { StackTimes } from '../../places/deployed/describe-stack.ts';
import { runsFolder } from '../../storage/bucket-store.ts';
import type { RunStore } from '../../storage/run-store.ts';
import { hideFigures } from '../blind.ts';
import type { PreparedRun } from '../prepared-run.ts';
import { LimitReached } from '../time-limit.ts';
import { type TrackedStatus, trackStatus } from './status.ts';
import type { UnfinishedRun } from '../unfinished-run.ts';

/** What is known of a run when it begins or goes on. */
export interface BegunRun {
  binding: Binding;
  clients: AwsClients;
  local: RunStore;
  unfinished: Pick<UnfinishedRun, 'store' | 'earlier'> | null;
  startedAt: Date;
  dollarsPerHour: number | null;
  times: StackTimes;
}

export function trackDeployedRun(
  { plan, experiment }: PreparedRun,
  { binding, local, unfinished, startedAt, dollarsPerHour, times }: BegunRun,
  { blind }: { blind?: boolean | undefined },
): TrackedStatus {
  const earlier = unfinished?.earlier.trials ?? [];
  const { stackName, dashboardUrl, whenDone, graceMinutes } = binding;
  return trackStatus(
    plan,
    {
      stackName,
      dashboardUrl,
      whenDone,
      graceMinutes,
      dollarsPerHour,
      deploy: binding.deploy,
      run: `${runsFolder}/${path.basename(local.folder)}/`,
      startedAt: startedAt.toISOString(),
      limitHours: experiment.limits.hours ?? null,
      billedSince: times.createdAt.toISOString(),
      expiresAt: times.expiresAt?.toISOString() ?? null,
    },
    {
      earlier: blind ? earlier.map(hideFigures) : earlier,
      now: () => new Date(),
      metric: decidingMetric(experiment.decision),
    },
  );
}

export function endOf(
  tracked: TrackedStatus,
  result: Result | null,
  { interrupted, superseded }: { interrupted: AbortSignal; superseded: AbortSignal },
): void {
  if (result === null) tracked.end('interrupted', 'The databases are loaded; nothing was to be measured yet.');
  else if (result.complete) tracked.end('finished');
  else if (interrupted.aborted) tracked.end('interrupted', String(interrupted.reason));
  else if (superseded.aborted) tracked.end('stopped', (superseded.reason as Error).message);
  else if (result.stoppedBy !== undefined) tracked.end('stopped', result.stoppedBy);
  else tracked.end('failed', 'Some trials are missing: they failed.');
}

/** After trouble that may pass, and after a bug of ours, the driver starts the runner again. */
export function stateAfter(error: unknown, signal: AbortSignal): Exclude<RunState, 'running'> {
  if (signal.aborted) return 'interrupted';
  if (error instanceof LimitReached) return 'stopped';
  return error instanceof UserError && !error.passing ? 'failed' : 'interrupted';
}
