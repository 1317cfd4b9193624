import path from 'node:path';
import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { S3Client } from '@aws-sdk/client-s3';
import { UserError } from '../../contract/errors.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { openBucket } from '../aws/bucket.ts';
import { type Binding, boundServers } from '../contract/binding.ts';
import { billedSince, spentDollars, stackPrice } from '../prices/bill.ts';
import { checkLimits, requireEnoughLeft, requireWithinLimits } from '../prices/limits.ts';
import { keptCosts } from '../prices/estimate.ts';
import { deployable, type DeployableExperiment } from '../deploy/deployable.ts';
import { loadExperiment } from '../../experiment/file/load.ts';
import { makePlan, remainingSeconds } from '../../experiment/plan/plan.ts';
import { crossoversOf, type Plan } from '../../contract/plan.ts';
import { toolVersion } from '../../contract/tool-version.ts';
import { examinationSeconds } from '../contract/waiting-times.ts';
import { askedParameters, checkedCertificates, fetchPasswordFile, matchVariants } from '../place/database-access.ts';
import { type PollingOptions, probeConnection } from '../place/await-database.ts';
import type { DeployedPlaceOptions } from '../place/deployed-place.ts';
import { reachDatabase } from '../place/reach-database.ts';
import { describeStackTimes, requireDeletable, type StackTimes } from '../place/describe-stack.ts';
import { firstAvailableAt } from '../place/first-available.ts';
import { examineDatabase } from '../place/examine-database.ts';
import { storageWork } from '../place/judge-database.ts';
import { proveSwitchable } from '../place/switch-log-volume.ts';
import { maxClients } from '../../experiment/plan/design.ts';
import type { PlacedTarget } from '../../places/place.ts';
import { proveInForce, unprovedParameters } from '../../postgres/in-force.ts';
import { findPostgresBinaries } from '../../places/local/choose-binaries.ts';
import { workloadsOf } from '../../workloads/of-variants.ts';
import { toolOf } from '../../workloads/registry.ts';
import { checkConnection } from './connection.ts';
import { checker, type CheckOutcome } from '../../probes/probe.ts';
import { checkWindows } from './maintenance-windows.ts';
import { preflightHead, preflightName, type PreflightObject } from '../../contract/probes.ts';

export interface PreflightOptions extends Omit<DeployedPlaceOptions, 'parameters'> {
  /** Whether the databases are there, so that they are checked, too. */
  databases: boolean;
  s3: S3Client;
  cloudFormation: CloudFormationClient;
  pgBindir: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  report: (outcome: CheckOutcome) => void;
}

/**
 * Checks everything that a deployed run needs, before it begins: programs, the experiment and its limits, the password,
 * and that results can be written and read back. The tool's program is downloaded if it is one that a driver downloads.
 * For every variant, if the databases are there, it checks that:
 *
 * - the database is what was asked for;
 * - it can be reached by verified TLS, and through its proxy if it has one;
 * - its clock agrees with ours;
 * - its version and parameters are in force;
 * - its log volume may be exchanged, in a crossover;
 * - RDS plans no backup or maintenance of it in the run.
 *
 * If the databases are there, it also checks that enough of `limits.dollars` is left.
 *
 * It continues after a problem, so that it finds all problems at once.
 */
export async function preflight(options: PreflightOptions): Promise<CheckOutcome[]> {
  const { binding, now } = options;
  const { outcomes, check } = checker(options.report);
  const bucket = openBucket(options.s3, binding.results);
  const save = (endedAt: string | null): Promise<void> =>
    bucket.putText(preflightName, preflightText({ endedAt, outcomes }));

  const experiment = await check('experiment', () => loadBound(binding));
  if (experiment)
    await check('limits', () => Promise.resolve({ detail: checkedLimits(experiment, binding), value: true }));
  const stack = await check('stack', async () => {
    const times = await describeStackTimes(options.cloudFormation, binding);
    requireDeletable(times, binding);
    return { detail: `created at ${times.createdAt.toISOString()}`, value: times };
  });
  const programs = await check('clients', async () => {
    const { folder, version } = await findPostgresBinaries({
      ...options,
      explicit: options.pgBindir === undefined ? [] : [options.pgBindir],
      needed: 'clients',
    });
    return { detail: `${version} in ${folder}`, value: folder };
  });
  if (experiment && programs !== null) await check('tool', () => checkTool(experiment, programs, options.signal));
  const certificates = await check('certificates', () => {
    const file = checkedCertificates(options.certificates);
    return Promise.resolve({ detail: file, value: file });
  });
  const writable = await check('results', async () => {
    await save(null);
    // A run is over only when its objects were found in the bucket.
    if ((await bucket.readText(preflightName)) === null) {
      throw new UserError(`${bucket.location}${preflightName} was written, but cannot be read back.`);
    }
    return { detail: bucket.location, value: true };
  });
  const passwordFile = await check('password', async () => ({
    detail: 'read from Secrets Manager',
    value: await fetchPasswordFile(options.secrets, binding.secretArn),
  }));
  try {
    // Storage may be initialised for hours. What a run does before its trials, such as loading, need not wait for that.
    const isCrossover = experiment !== null && crossoversOf(experiment.experiment.protocol) > 0;
    const polling: PollingOptions = { ...options, limitSeconds: examinationSeconds, untilStorageRests: false };
    await Promise.all(
      [...(options.databases ? boundServers(binding) : [])].map(async ([server, bound]) => {
        const examined = await check({ id: 'database-as-asked', of: server }, async () => {
          // A crossover leaves its log volumes exchanged, and sets them itself.
          const value = await examineDatabase(server, bound, polling, { mayReboot: true, anyLogVolume: isCrossover });
          const rebooted = value.rebooted ? ['was rebooted once, because its parameter group required it'] : [];
          const working = storageWork(value.state);
          return { detail: ['matches the experiment', ...rebooted, ...working, ...value.caveats].join('; '), value };
        });
        if (!examined) return;
        if (isCrossover) {
          await check({ id: 'exchange', of: server }, async () => {
            await proveSwitchable(examined.state, bound.identifier, options.rds);
            return { detail: 'its log volume may be modified', value: true };
          });
        }
        if (experiment) {
          const { backups } = experiment.experiment;
          const expectedSeconds = secondsAfterCreation(experiment.plan);
          await check({ id: 'windows', of: server }, () =>
            Promise.resolve({
              detail: checkWindows(server, examined.state.windows, { backups, expectedSeconds, now: now() }),
              value: true,
            }),
          );
        }
        if (!passwordFile || certificates === null || programs === null) return;
        const parameters = experiment ? askedParameters(experiment.deployed) : new Map<string, never>();
        const access = { binding, parameters, passwordFile, certificates };
        const target = await check({ id: 'connection', of: server }, async () => {
          const probe = options.probe ?? probeConnection;
          const value = await reachDatabase(server, examined, access, { ...options, probe });
          const detail = await checkConnection(value, {
            programs,
            now,
            clients: experiment && maxClients(experiment.experiment),
            signal: options.signal,
          });
          return { detail, value };
        });
        if (target && experiment) await check({ id: 'parameters-in-force', of: server }, () => checkParameters(target));
      }),
    );
  } finally {
    passwordFile?.remove();
  }
  // Last, because the wait for the databases costs money, too.
  if (experiment && stack && options.databases) {
    await check('bill', async () => ({ detail: await checkedBill(experiment, options, stack), value: true }));
  }
  if (writable) await save(now().toISOString());
  return outcomes;
}

interface BoundExperiment {
  /** Absolute path of its file. */
  file: string;
  experiment: Experiment;
  deployed: DeployableExperiment;
  plan: Plan;
}

function loadBound(binding: Binding): Promise<{ detail: string; value: BoundExperiment }> {
  const { file, profile } = binding.experiment;
  const { experiment } = loadExperiment(file, { folder: '/', profile });
  matchVariants(binding, experiment);
  return Promise.resolve({
    detail: `${experiment.name}, profile ${profile}`,
    value: { file, experiment, deployed: deployable(experiment, profile), plan: makePlan(experiment, profile) },
  });
}

/** What fails here would fail every trial: the program is missing, or refuses what the user wrote for it. */
async function checkTool(
  { file, experiment }: BoundExperiment,
  programs: string,
  signal: AbortSignal,
): Promise<{ detail: string; value: true }> {
  const { workload } = experiment;
  const tool = toolOf(workload);
  const where = { workload, scriptFolder: path.dirname(file), signal };
  const version = await tool.version(programs, { ...where, downloadUntil: signal });
  for (const own of workloadsOf(experiment)) await tool.validateScripts?.(programs, { ...where, workload: own });
  return { detail: version, value: true };
}

/** Seconds from the pre-flight to the end of the run; null if unpredictable. */
function secondsAfterCreation(plan: Plan): number | null {
  const [afterCreation] = plan.steps.filter(({ kind }) => kind !== 'create');
  return afterCreation ? remainingSeconds(plan).fromStep(afterCreation) : null;
}

async function checkParameters(target: PlacedTarget): Promise<{ detail: string; value: true }> {
  const found = await proveInForce(target);
  const proved = found.parameters.filter(({ inForce }) => inForce).length;
  return {
    detail: [`PostgreSQL ${found.version}, ${proved} parameters in force`, unprovedParameters(target.server, found)]
      .filter((part) => part !== null)
      .join('; '),
    value: true,
  };
}

/** @returns the expected length of the run, as a text */
function checkedLimits(
  { experiment, deployed, plan: { expectedSeconds } }: BoundExperiment,
  { region, lifetimeHours }: Binding,
): string {
  const costs = keptCosts(deployed, expectedSeconds, region);
  requireWithinLimits(checkLimits(experiment.limits, lifetimeHours, expectedSeconds, costs));
  return expectedSeconds === null ? 'run length unknown' : `${(expectedSeconds / 3600).toFixed(1)} hours expected`;
}

/** @returns what the stack has cost so far, as a text */
async function checkedBill(
  { experiment, deployed, plan }: BoundExperiment,
  { binding, rds, now }: PreflightOptions,
  { createdAt }: StackTimes,
): Promise<string> {
  const price = stackPrice(deployed, binding.region);
  if (price === null) return 'unknown, because an instance price is unknown';
  const since = billedSince({ createdAt, databasesAt: await firstAvailableAt(rds, binding) }, price);
  const spent = spentDollars(since, price, now());
  const seconds = secondsAfterCreation(plan);
  const runDollars = seconds === null ? null : (seconds / 3600) * price.whole;
  requireEnoughLeft(experiment.limits, { spentDollars: spent, runDollars });
  return `${spent.toFixed(2)} dollars so far`;
}

function preflightText(found: Pick<PreflightObject, 'endedAt' | 'outcomes'>): string {
  const object: PreflightObject = { ...preflightHead, toolVersion, ...found };
  return `${JSON.stringify(object, null, 2)}\n`;
}
