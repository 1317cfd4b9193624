import { AwsCallError } from '../aws/call.ts';
import type { ServerBinding } from '../contract/binding.ts';
import type { SnapshotApi, SnapshotState } from '../deployments/deployment.ts';
import { apiOf } from '../deployments/registry.ts';
import { UserError } from '../../contract/errors.ts';
import type { KeptSnapshot } from '../../contract/result.ts';
import { awaitDatabase, type PollingOptions } from './await-database.ts';

const intervalSeconds = 15;

/**
 * Makes a snapshot of a database, and waits until it is complete and the database is at rest. If a snapshot of this
 * name exists, an earlier start has begun it.
 *
 * @throws {UserError} if RDS fails to make it, or does not complete it in time
 */
export async function keepSnapshot(
  server: string,
  binding: ServerBinding,
  { name, tags, region }: { name: string; tags: Readonly<Record<string, string>>; region: string },
  polling: PollingOptions & { onProgress: (done: number) => void },
): Promise<KeptSnapshot> {
  const { rds, say, now, pause, signal, limitSeconds } = polling;
  const { identifier } = binding;
  const { snapshot } = await apiOf(binding);
  const startedAt = now().getTime();
  if ((await find(snapshot.describe(rds, name))) === null) {
    say(`${identifier}: making the snapshot ${name} ...`);
    await create(snapshot.create(rds, identifier, name, tags));
  }
  for (;;) {
    signal.throwIfAborted();
    const state = await find(snapshot.describe(rds, name));
    if (state?.status === 'available') {
      await awaitDatabase(server, binding, polling);
      const deleteCommand = `aws rds delete-${snapshot.command} --${snapshot.command}-identifier ${name} --region ${region}`;
      return { name, arn: state.arn, source: identifier, deleteCommand };
    }
    if (state !== null && state.status !== 'creating') {
      throw new UserError(
        `${identifier}: the status of the snapshot ${name} is ${state.status}. Look at its events in RDS.`,
      );
    }
    if ((now().getTime() - startedAt) / 1000 >= limitSeconds) {
      throw new UserError(`${identifier}: the snapshot ${name} was not complete after ${limitSeconds / 60} minutes.`);
    }
    polling.onProgress((state?.percent ?? 0) / 100);
    await pause(intervalSeconds, signal);
  }
}

/** If the snapshot exists already, a passing failure had hidden it. */
async function create(call: Promise<void>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof AwsCallError && /SnapshotAlreadyExists/.test(error.code))) throw error;
  }
}

/** null if there is no such snapshot, or if a passing failure hides it. */
async function find(call: ReturnType<SnapshotApi['describe']>): Promise<SnapshotState | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof AwsCallError && (/SnapshotNotFound/.test(error.code) || error.isTransient)) return null;
    throw error;
  }
}
