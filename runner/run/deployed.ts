import path from 'node:path';
import { type Bucket, openBucket } from '../aws/bucket.ts';
import type { AwsClients } from '../aws/clients.ts';
import type { Binding } from '../contract/binding.ts';
import type { Result } from '../contract/result.ts';
import { stackDollarsPerHour } from '../costs/stack-dollars.ts';
import { deployable } from '../experiment/deploy/deployable.ts';
import { findPostgresBinaries } from '../places/local/postgres-binaries.ts';
import { openDeployedPlace } from '../places/deployed/deployed-place.ts';
import { matchVariants } from '../places/deployed/match-variants.ts';
import { bucketStore, runsFolder } from '../storage/bucket-store.ts';
import { newFolderStore } from '../storage/folder-store.ts';
import { startHeartbeat } from '../storage/heartbeat.ts';
import type { RunStore } from '../storage/run-store.ts';
import type { Report, RunEvent } from '../contract/run-event.ts';
import { equipmentOf } from './execution.ts';
import type { PreparedRun } from './local.ts';
import { pauseSeconds } from './pause.ts';
import { carryOutRun, type RunOptions } from './run.ts';
import { LimitReached, timeLimit } from './time-limit.ts';
import { type TrackedStatus, trackStatus } from './track-status.ts';
import { latestRunIfAny, type UnfinishedRun } from './unfinished-run.ts';

export interface DeployedRunOptions {
  stages: RunOptions['stages'];
  /** Folder of the experiment's runs on this machine. */
  results: string;
  /** Whether to resume a run that a reboot or a kill has cut off; without such a run, a new one begins. */
  resume: boolean;
  pgBindir: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  report: Report;
  say: (line: string) => void;
  /** Makes the files that belong to the result, and publishes all of them. */
  present: (result: Result, store: RunStore) => Promise<void>;
  signal: AbortSignal;
}

/**
 * Carries out a run on the variants that a deploy made. Every trial is uploaded to S3 when it has ended; status.json there
 * tells what is going on.
 *
 * @returns the address of the results if every trial had been measured before; otherwise null
 */
export async function runDeployed(
  run: PreparedRun,
  { binding, clients }: { binding: Binding; clients: AwsClients },
  options: DeployedRunOptions,
): Promise<string | null> {
  matchVariants(binding, run.experiment);
  const bucket = openBucket(clients.s3, binding.results);
  const unfinished = options.resume ? await latestRunIfAny(options.results, run) : null;
  if (unfinished?.complete) return bucket.location;
  const local = unfinished?.store ?? newFolderStore(options.results, new Date());
  const startedAt = unfinished ? new Date(unfinished.earlier.run.startedAt) : new Date();
  const dollarsPerHour = stackDollarsPerHour(deployable(run.experiment, run.profile), binding.region);
  const tracked = trackDeployedRun(run, binding, { unfinished, startedAt, local, dollarsPerHour });
  const heartbeat = startHeartbeat(bucket, tracked.status);
  const report = (event: RunEvent): void => {
    options.report(event);
    tracked.report(event);
    if (event.kind === 'trial-ended' || event.kind === 'step-started') heartbeat.beat();
  };
  try {
    const result = await carryOut(
      run,
      { binding, clients, bucket, local, unfinished, startedAt, dollarsPerHour },
      { ...options, report },
    );
    endOf(tracked, result, options.signal);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const stopped = error instanceof LimitReached ? 'stopped' : 'failed';
    tracked.end(options.signal.aborted ? 'interrupted' : stopped, problem);
    throw error;
  } finally {
    // The first error counts. If the last status cannot be written either, a line of text is enough.
    await heartbeat
      .end()
      .catch((error: unknown) => options.say(error instanceof Error ? error.message : String(error)));
  }
  return null;
}

async function carryOut(
  run: PreparedRun,
  where: {
    binding: Binding;
    clients: AwsClients;
    bucket: Bucket;
    local: RunStore;
    unfinished: UnfinishedRun | null;
    startedAt: Date;
    dollarsPerHour: number | null;
  },
  { stages, resume, pgBindir, environment, report, say, present, signal }: DeployedRunOptions,
): Promise<Result | null> {
  const { binding, unfinished, startedAt } = where;
  const now = (): Date => new Date();
  const store = bucketStore(where.local, where.bucket, (text) => report({ kind: 'warning', text }));
  const { folder: programs } = await findPostgresBinaries({ explicit: pgBindir, environment, needed: 'clients' });
  const limit = timeLimit(run.experiment.limits, { startedAt, dollarsPerHour: where.dollarsPerHour, now });
  try {
    const result = await carryOutRun(
      {
        ...equipmentOf(run.experiment, { programs, scriptFolder: run.scriptFolder }),
        plan: run.plan,
        openPlace: () =>
          openDeployedPlace({
            ...where.clients,
            ...{ binding, say, signal, now, pause: pauseSeconds },
            crossover: run.experiment.protocol.crossover,
            certificates: environment['PGSSLROOTCERT'],
          }),
        openStore: () => store,
        report,
        signal: AbortSignal.any([signal, limit.signal]),
        startedAt,
        now,
        pause: pauseSeconds,
      },
      {
        stages,
        earlier: unfinished?.earlier ?? null,
        goOn: resume,
        keep: () => false,
        onKept: say,
      },
    );
    if (result) await present(result, store);
    else await store.publish();
    return result;
  } finally {
    limit.clear();
  }
}

function trackDeployedRun(
  { plan, experiment }: PreparedRun,
  binding: Binding,
  {
    unfinished,
    startedAt,
    local,
    dollarsPerHour,
  }: { unfinished: UnfinishedRun | null; startedAt: Date; local: RunStore; dollarsPerHour: number | null },
): TrackedStatus {
  return trackStatus(
    plan,
    {
      stackName: binding.stackName,
      dashboardUrl: binding.dashboardUrl,
      run: `${runsFolder}/${path.basename(local.folder)}/`,
      startedAt: startedAt.toISOString(),
      limitHours: experiment.limits.hours ?? null,
      dollarsPerHour,
    },
    {
      earlier: unfinished?.earlier.trials ?? [],
      now: () => new Date(),
      metric: experiment.decision.metric,
    },
  );
}

function endOf(tracked: TrackedStatus, result: Result | null, signal: AbortSignal): void {
  if (result === null || result.complete) tracked.end('finished');
  else if (signal.aborted) tracked.end('interrupted', String(signal.reason));
  else if (result.stoppedBy !== undefined) tracked.end('stopped', result.stoppedBy);
  else tracked.end('failed', 'Some trials are missing: they failed.');
}
