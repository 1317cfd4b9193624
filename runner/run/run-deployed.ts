import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBucket } from '../aws/bucket.ts';
import type { ExecutionEvent } from './events.ts';
import { LimitReached } from './time-limit.ts';
import { type TrackedStatus, trackStatus } from './track-status.ts';
import type { Binding } from '../contract/binding.ts';
import { openDeployedPlace } from '../places/deployed/deployed-place.ts';
import { matchVariants } from '../places/deployed/match-variants.ts';
import { findPostgresBinaries } from '../places/local/postgres-binaries.ts';
import { bucketStore, runsFolder } from '../storage/bucket-store.ts';
import { newFolderStore } from '../storage/folder-store.ts';
import { startHeartbeat } from '../storage/heartbeat.ts';
import type { Result } from '../contract/result.ts';
import type { AwsClients } from '../aws/clients.ts';
import { carryOutRun, type Earlier, nothingEarlier } from './carry-out-run.ts';
import type { Io } from '../cli/io.ts';
import { type PreparedRun, prepareRun } from './prepare-run.ts';
import { presentResult } from './present-result.ts';
import { showProgress } from '../report/terminal/progress.ts';
import { latestRunIfAny, type UnfinishedRun } from './unfinished-run.ts';
import type { Stages, VerbOptions } from './verb-options.ts';

/**
 * Carries out one of the three verbs on the variants that a deploy made. Everything goes to S3 as it comes; what goes on is
 * in status.json there.
 *
 * With `--resume` it goes on with what a reboot or a kill has cut off, and begins where there is nothing yet: it is what the
 * driver starts with, whatever happened before.
 */
export async function runDeployed(
  { binding, experiment: name, clients }: { binding: Binding; experiment: string; clients: AwsClients },
  stages: Stages,
  options: VerbOptions,
  io: Io,
): Promise<void> {
  const run = prepareRun(name, { ...options, profile: options.profile ?? binding.experiment.profile }, io);
  if (!run) return;
  matchVariants(binding, run.experiment);
  const results = path.resolve(io.workingFolder, options.out, run.experiment.name);
  const unfinished = options.resume ? await latestRunIfAny(results, run) : null;
  if (unfinished?.earlier.complete) {
    io.stderr.write(
      `Every trial has been measured; the results are in ${openBucket(clients.s3, binding.results).location}\n`,
    );
    return;
  }
  await carryOutAndReport({ binding, run, unfinished, results, clients }, stages, options, io);
  io.signal.throwIfAborted();
}

async function carryOutAndReport(
  given: { binding: Binding; run: PreparedRun; unfinished: UnfinishedRun | null; results: string; clients: AwsClients },
  stages: Stages,
  options: VerbOptions,
  io: Io,
): Promise<void> {
  const { binding, run, unfinished, clients } = given;
  const progress = showProgress(run.plan, io);
  const local = unfinished?.store ?? newFolderStore(given.results, new Date());
  const bucket = openBucket(clients.s3, binding.results);
  const earlier = unfinished?.earlier ?? nothingEarlier(new Date());
  const tracked = trackDeployedRun(given, earlier, `${runsFolder}/${path.basename(local.folder)}/`);
  const heartbeat = startHeartbeat(bucket, tracked.status);
  const report = (event: ExecutionEvent): void => {
    progress.report(event);
    tracked.report(event);
    if (event.kind === 'trial-ended') heartbeat.beat();
  };
  const store = bucketStore(local, bucket, (text) => report({ kind: 'warning', text }));
  try {
    const { folder: programs } = await findPostgresBinaries({
      explicit: options.pgBindir,
      environment: io.environment,
      needed: 'clients',
    });
    const place = await openDeployedPlace({
      ...clients,
      binding,
      crossover: run.experiment.protocol.crossover,
      certificates: io.environment['PGSSLROOTCERT'],
      say: progress.say,
      signal: io.signal,
      now: () => new Date(),
      pause: (seconds, signal) => sleep(seconds * 1000, undefined, { signal }),
    });
    let result: Result | null;
    try {
      result = await carryOutRun(
        run,
        { place, programs, store },
        // There is a result from the end of loading on, and the databases have outlived whatever cut us off.
        {
          stages: { ...stages, load: stages.load && !unfinished },
          earlier,
          dollarsPerHour: binding.dollarsPerHour ?? null,
          report,
          signal: io.signal,
        },
      );
    } finally {
      await place.close({ keep: false });
    }
    progress.end();
    if (result) await presentResult(result, store, options, io);
    else await store.publish();
    endOf(tracked, result, io);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    tracked.end(io.signal.aborted ? 'interrupted' : error instanceof LimitReached ? 'stopped' : 'failed', problem);
    throw error;
  } finally {
    progress.end();
    // The first error is what counts; that its last status does not get through either is no news.
    await heartbeat.end().catch((error: unknown) => {
      io.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    });
  }
}

function trackDeployedRun(
  { binding, run }: { binding: Binding; run: PreparedRun },
  earlier: Earlier,
  folder: string,
): TrackedStatus {
  const now = (): Date => new Date();
  return trackStatus(
    run.plan,
    {
      stackName: binding.stackName,
      dashboardUrl: binding.dashboardUrl,
      run: folder,
      startedAt: earlier.startedAt,
      limitHours: run.experiment.limits.hours ?? null,
      dollarsPerHour: binding.dollarsPerHour ?? null,
    },
    { earlier: earlier.trials, now },
  );
}

function endOf(tracked: TrackedStatus, result: Result | null, io: Io): void {
  if (result === null || result.complete) tracked.end('finished');
  else if (io.signal.aborted) tracked.end('interrupted', String(io.signal.reason));
  else if (result.stoppedBy !== undefined) tracked.end('stopped', result.stoppedBy);
  else tracked.end('failed', 'Some trials are missing: they failed.');
}
