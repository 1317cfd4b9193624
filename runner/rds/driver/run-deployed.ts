import path from 'node:path';
import { openBucket } from '../aws/bucket.ts';
import type { AwsClients } from '../aws/clients.ts';
import type { Binding } from '../contract/binding.ts';
import { crossoversOf } from '../../contract/plan.ts';
import { UserError } from '../../contract/errors.ts';
import { decidingMetric } from '../../contract/experiment/schema.ts';
import type { Result } from '../../contract/result.ts';
import { hasEnded, type OnEvent, type RunEvent, type RunStatus } from '../../contract/status.ts';
import { keptPrices, keptPricesFile } from '../prices/kept-prices.ts';
import { billedSince, stackPrice } from '../prices/bill.ts';
import { variantCosts } from '../prices/estimate.ts';
import { deployable } from '../deploy/deployable.ts';
import { askedParameters, matchVariants } from '../place/database-access.ts';
import { openDeployedPlace } from '../place/deployed-place.ts';
import { describeStackTimes, type StackTimes } from '../place/describe-stack.ts';
import { firstAvailableAt } from '../place/first-available.ts';
import { findPostgresBinaries } from '../../places/local/choose-binaries.ts';
import { removeLeftovers } from '../../places/local/run-folder.ts';
import { releaseVolumes } from '../../places/local/volumes/release-volumes.ts';
import { type BucketStore, bucketStore, runsFolder } from '../bucket/bucket-store.ts';
import { newFolderStore } from '../../storage/results-folder.ts';
import { startHeartbeat } from '../bucket/heartbeat.ts';
import type { RunStore } from '../../storage/run-store.ts';
import { hideFigures } from '../../run/blind.ts';
import { describeDriver } from '../../run/driver.ts';
import { equipmentOf, localClock, type PlannedRun, type Run } from '../../run/run-shape.ts';
import { planAfterAnother, wereUsedBefore } from '../../run/loaded-data.ts';
import { carryOutRun } from '../../run/run.ts';
import { timeLimit } from '../../run/time-limit.ts';
import { latestRunIfAny, type UnfinishedRun } from '../../run/unfinished-run.ts';
import { LaterDeploys, stackExpiry } from './early-end.ts';
import { concludeRun, EndedRun, readEndedRun, type SavingOptions } from './ended-run.ts';
import { endAfter, endOf, factsOf } from './status.ts';
import { TrackedStatus } from '../../experiment/plan/tracked-status.ts';

export interface DeployedRunOptions {
  stages: Run['stages'];
  /** Folder of the experiment's runs on this machine. */
  results: string;
  /**
   * Whether to resume a run that this driver has begun and that a reboot or a kill has cut off. Without such a run, a
   * new one begins. It uses the databases as they are if they have been loaded.
   */
  resume: boolean;
  pgBindir: readonly string[] | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  report: OnEvent;
  /** Hides throughput and latency during the run, also in the status. @default false */
  blind?: boolean | undefined;
  say: (line: string) => void;
  /** Makes the files that belong to the result, publishes all of them, and then says where they are. */
  present: (result: Result, store: RunStore) => Promise<void>;
  signal: AbortSignal;
}

/** What is known about a run when it begins or resumes. */
interface BegunRun {
  binding: Binding;
  clients: AwsClients;
  local: RunStore;
  unfinished: Omit<UnfinishedRun, 'measured'> | null;
  startedAt: Date;
  /** null if the price is unknown. */
  bill: { since: Date; dollarsPerHour: number } | null;
  times: StackTimes;
}

/**
 * Carries out a run on the variants that a deploy made. Every trial is uploaded to S3 as soon as it has ended, and
 * status.json there shows the progress. However the run ends, the runner then keeps trying to save everything that is
 * left, and to prove that it is there. Only then may the stack delete itself.
 *
 * @returns the last status if the run had already ended in an earlier start and was only saved now; otherwise null
 */
export async function runDeployed(
  run: PlannedRun,
  { binding, clients }: { binding: Binding; clients: AwsClients },
  options: DeployedRunOptions,
): Promise<RunStatus | null> {
  matchVariants(binding, run.experiment);
  const bucket = openBucket(clients.s3, binding.results);
  const before = options.resume ? readEndedRun(options.results) : null;
  if (before) {
    const status = await concludeRun(bucket, before, savingOptions(options));
    // A later deploy begins a run of its own.
    if (status.deploy === binding.deploy) return status;
  }

  const times = await describeStackTimes(clients.cloudFormation, binding);
  const unfinished = options.resume && !before ? await latestRunIfAny(options.results, run, options.signal) : null;
  const used = options.resume && !unfinished && wereUsedBefore(options.results);
  const local = unfinished?.store ?? newFolderStore(options.results, new Date());
  const startedAt = unfinished ? new Date(unfinished.earlier.run.startedAt) : new Date();
  const bill = await billOf(run, { binding, clients }, times);
  const begun: BegunRun = { binding, clients, local, unfinished, startedAt, bill, times };

  const tracked = track(run, begun, options);
  let status = (): RunStatus => tracked.status();
  const heartbeat = startHeartbeat(bucket, () => status());
  const report = (event: RunEvent): void => {
    options.report(event);
    tracked.report(event);
    // A trial may be shorter than the interval of the heartbeat, and would then never show.
    if (['trial-ended', 'step-started', 'stage-started'].includes(event.kind)) heartbeat.beat();
  };
  const warn = (text: string): void => report({ kind: 'warning', text });
  if (unfinished?.warning) warn(unfinished.warning);
  const later = new LaterDeploys(clients.ssm, binding, report);
  const { now } = localClock;
  const limit = timeLimit(run.experiment.limits, { startedAt, bill, now });
  const expiry = stackExpiry(times.createdAt, binding.lifetimeHours, { now, lifetimeNow: () => later.lifetimeHours() });
  const limited = AbortSignal.any([limit.signal, expiry.signal]);
  const signal = AbortSignal.any([options.signal, limited, later.signal]);
  const store = bucketStore(local, bucket, warn, { signal, written: () => heartbeat.written() });
  let result: Result | null = null;
  const failures: unknown[] = [];
  try {
    const plan = used ? planAfterAnother(run.plan) : run.plan;
    result = await measure({ ...run, plan }, { ...begun, betweenTrials: () => later.look({ expiry, limit }) }, store, {
      ...options,
      report,
      signal,
    });
    tracked.end(endOf(result, { interrupted: options.signal, superseded: later.signal }));
  } catch (thrown) {
    // Work that a limit cut off may have failed with an error of its own.
    const error: unknown = limited.aborted && !options.signal.aborted ? limited.reason : thrown;
    tracked.end(endAfter(error, options.signal));
    failures.push(error);
  } finally {
    limit.clear();
    expiry.clear();
  }
  const last = tracked.status();
  const ended = hasEnded(last) ? new EndedRun(store, last, savingOptions(options)) : null;
  if (ended) {
    await ended.note();
    status = () => ended.status();
  }
  heartbeat.beat();
  const publish = () => (ended ? ended.save() : store.publish());
  // The first error counts.
  try {
    if (result) await options.present(result, { ...store, publish });
    else await publish();
  } catch (error) {
    // After an interruption, the command's last words are about that, so this is only a warning.
    if (options.signal.aborted && error instanceof UserError) warn(error.message);
    failures.push(error);
  }
  try {
    if (ended) await ended.finish(() => heartbeat.end());
    else await heartbeat.end();
  } catch (error) {
    failures.push(error);
  }
  if (failures.length > 0) throw failures[0];
  return null;
}

/** null if the price is unknown. @throws {AwsCallError} */
async function billOf(
  { experiment, profile }: PlannedRun,
  { binding, clients }: Pick<BegunRun, 'binding' | 'clients'>,
  { createdAt }: StackTimes,
): Promise<BegunRun['bill']> {
  const price = stackPrice(deployable(experiment, profile), binding.region);
  if (price === null) return null;
  const databasesAt = await firstAvailableAt(clients.rds, binding);
  return { since: billedSince({ createdAt, databasesAt }, price), dollarsPerHour: price.whole };
}

function savingOptions({ report, signal }: DeployedRunOptions): SavingOptions {
  return { ...localClock, warn: (text) => report({ kind: 'warning', text }), signal };
}

function track(
  { plan, experiment }: PlannedRun,
  { binding, local, unfinished, startedAt, bill, times }: BegunRun,
  { blind }: DeployedRunOptions,
): TrackedStatus {
  const facts = factsOf(binding, times, {
    run: `${runsFolder}/${path.basename(local.folder)}/`,
    startedAt: startedAt.toISOString(),
    limitHours: experiment.limits.hours ?? null,
    dollarsPerHour: bill?.dollarsPerHour ?? null,
    billedSince: (bill?.since ?? times.createdAt).toISOString(),
  });
  const trials = unfinished?.earlier.trials ?? [];
  const earlier = blind ? trials.map(hideFigures) : trials;
  return new TrackedStatus(plan, { earlier, now: localClock.now, metric: decidingMetric(experiment.decision) }, facts);
}

async function measure(
  run: PlannedRun,
  {
    binding,
    clients,
    unfinished,
    startedAt,
    bill,
    times,
    betweenTrials,
  }: BegunRun & { betweenTrials: () => Promise<void> },
  store: BucketStore,
  { stages, resume, pgBindir, environment, report, blind, say, signal }: DeployedRunOptions,
): Promise<Result | null> {
  const { now, pause } = localClock;
  const { whenDone, graceMinutes } = binding;
  const deployed = deployable(run.experiment, run.profile);
  await removeLeftovers(releaseVolumes, signal);
  signal.throwIfAborted();
  const { folder: programs } = await findPostgresBinaries({
    explicit: pgBindir,
    environment,
    signal,
    needed: 'clients',
  });
  const where = { programs, downloadUntil: signal };
  const outcome = await carryOutRun({
    ...run,
    ...equipmentOf(run.experiment, where),
    ...localClock,
    inputs: { ...run.inputs, prices: keptPricesFile(binding.region) },
    driver: await describeDriver(run.experiment, { ...where, folder: store.folder }, run.inputs, signal),
    stages,
    earlier: unfinished?.earlier ?? null,
    isResumed: resume,
    openPlace: () =>
      openDeployedPlace({
        ...clients,
        sources: clients,
        binding,
        bill: {
          dollarsPerHour: bill?.dollarsPerHour ?? null,
          whenDone,
          graceMinutes,
          expiresAt: times.expiresAt?.toISOString() ?? null,
        },
        signal,
        now,
        pause,
        say: (text) => report({ kind: 'waiting', text }),
        crossover: crossoversOf(run.experiment.protocol) > 0,
        parameters: askedParameters(deployed),
        certificates: environment['PGSSLROOTCERT'],
      }),
    openStore: () => store,
    keep: false,
    costs: variantCosts(deployed, keptPrices(binding.region)),
    report,
    say,
    blind,
    betweenTrials,
    signal,
    startedAt,
  });
  return outcome?.result ?? null;
}
