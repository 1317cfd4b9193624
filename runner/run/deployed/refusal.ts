import { openBucket } from '../../aws/bucket.ts';
import type { AwsClients } from '../../aws/clients.ts';
import type { Binding } from '../../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';
import type { RunStatus } from '../../contract/status.ts';
import { toolVersion } from '../../contract/tool-version.ts';
import { stackDollarsPerHour } from '../../costs/stack-dollars.ts';
import { deployable } from '../../experiment/deploy/deployable.ts';
import { loadExperiment } from '../../experiment/file/load.ts';
import { describeStackTimes } from '../../places/deployed/describe-stack.ts';
import { readStatus } from '../../storage/bucket-run.ts';
import { concludeRun, type SavingOptions } from './ended-run.ts';

export interface Deploy {
  binding: Binding;
  clients: Pick<AwsClients, 's3' | 'cloudFormation'>;
}

/**
 * Leaves the status of a run that ended before it began, so that nobody waits for it, and its stack deletes itself. It
 * leaves the status of a run that did begin as it is.
 *
 * @throws {UserError} if the status cannot be written; this tries once
 */
export async function leaveRefusal(
  { binding, clients }: Deploy,
  problems: readonly string[],
  options: Omit<SavingOptions, 'signal'>,
): Promise<void> {
  const bucket = openBucket(clients.s3, binding.results);
  const before = await readStatus(bucket);
  const began = before?.deploy === binding.deploy && before.state !== 'refused';
  if (began) return;
  const status = await refusedStatus({ binding, clients }, problems, options.now());
  const publish = () => Promise.resolve({ objects: 0, sizeBytes: 0 });
  await concludeRun(bucket, { kept: null, status, publish }, { ...options, signal: AbortSignal.abort() });
}

/** The status of a run that never began. */
export async function refusedStatus(
  { binding, clients }: Deploy,
  problems: readonly string[],
  now: Date,
): Promise<RunStatus> {
  const { stackName, dashboardUrl, whenDone, graceMinutes, experiment } = binding;
  const times = await describeStackTimes(clients.cloudFormation, binding).catch(unlessUserError);
  const at = now.toISOString();
  return {
    kind: 'pgduet-status',
    schemaVersion: 3,
    toolVersion,
    state: 'refused',
    deleteAfter: null,
    experiment: experiment.name,
    profile: experiment.profile,
    stackName,
    dashboardUrl,
    deploy: binding.deploy,
    run: null,
    startedAt: at,
    updatedAt: at,
    endedAt: at,
    current: null,
    plannedTrials: 0,
    trials: [],
    expectedEndAt: null,
    limitHours: null,
    dollarsPerHour: priceOf(binding),
    whenDone,
    graceMinutes,
    billedSince: times?.createdAt.toISOString() ?? null,
    expiresAt: times?.expiresAt?.toISOString() ?? null,
    saved: null,
    problems: [...problems],
  };
}

/** null if the price is not known, or if the experiment cannot be read. */
function priceOf({ experiment: { file, profile }, region }: Binding): number | null {
  try {
    const loaded = loadExperiment(file, { folder: '/', profile });
    return stackDollarsPerHour(deployable(loaded.experiment, loaded.profile), region);
  } catch (error) {
    return unlessUserError(error);
  }
}

function unlessUserError(error: unknown): null {
  if (error instanceof UserError) return null;
  throw error;
}
