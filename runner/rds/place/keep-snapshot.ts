import {
  CreateDBClusterSnapshotCommand,
  CreateDBSnapshotCommand,
  DescribeDBClusterSnapshotsCommand,
  DescribeDBSnapshotsCommand,
} from '@aws-sdk/client-rds';
import { AwsCallError, callAws } from '../aws/call.ts';
import type { ServerBinding } from '../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';
import type { KeptSnapshot } from '../../contract/result.ts';
import { awaitDatabase, type PollingOptions } from './await-database.ts';

const intervalSeconds = 15;

interface SnapshotState {
  arn: string | null;
  status: string;
  percent: number;
}

/** What the two RDS APIs, for instances and for clusters, have in common except for the names. */
interface SnapshotCalls {
  kind: 'db-snapshot' | 'db-cluster-snapshot';
  create: () => Promise<unknown>;
  /** @throws if there is no such snapshot */
  describe: () => Promise<SnapshotState | null>;
}

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
  const { say, now, pause, signal, limitSeconds } = polling;
  const { identifier } = binding;
  const calls = snapshotCalls(polling, binding, name, tags);
  const startedAt = now().getTime();
  if ((await find(calls)) === null) {
    say(`${identifier}: making the snapshot ${name} ...`);
    await create(calls);
  }
  for (;;) {
    signal.throwIfAborted();
    const state = await find(calls);
    if (state?.status === 'available') {
      await awaitDatabase(server, binding, polling);
      const deleteCommand = `aws rds delete-${calls.kind} --${calls.kind}-identifier ${name} --region ${region}`;
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

async function create(calls: SnapshotCalls): Promise<void> {
  try {
    await calls.create();
  } catch (error) {
    // The snapshot existed, but a passing failure had hidden it.
    if (!(error instanceof AwsCallError && /SnapshotAlreadyExists/.test(error.code))) throw error;
  }
}

/** null if there is no such snapshot, or if a passing failure hides it. */
async function find({ describe }: SnapshotCalls): Promise<SnapshotState | null> {
  try {
    return await describe();
  } catch (error) {
    if (error instanceof AwsCallError && (/SnapshotNotFound/.test(error.code) || error.isTransient)) return null;
    throw error;
  }
}

function snapshotCalls(
  { rds }: PollingOptions,
  { kind, identifier }: ServerBinding,
  name: string,
  tags: Readonly<Record<string, string>>,
): SnapshotCalls {
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  if (kind === 'instance') {
    return {
      kind: 'db-snapshot',
      create: () =>
        callAws('rds:CreateDBSnapshot', name, () =>
          rds.send(new CreateDBSnapshotCommand({ DBInstanceIdentifier: identifier, DBSnapshotIdentifier: name, Tags })),
        ),
      async describe() {
        const { DBSnapshots: [found] = [] } = await callAws('rds:DescribeDBSnapshots', name, () =>
          rds.send(new DescribeDBSnapshotsCommand({ DBSnapshotIdentifier: name })),
        );
        return found ? stateOf(found.DBSnapshotArn, found.Status, found.PercentProgress) : null;
      },
    };
  }
  return {
    kind: 'db-cluster-snapshot',
    create: () =>
      callAws('rds:CreateDBClusterSnapshot', name, () =>
        rds.send(
          new CreateDBClusterSnapshotCommand({
            DBClusterIdentifier: identifier,
            DBClusterSnapshotIdentifier: name,
            Tags,
          }),
        ),
      ),
    async describe() {
      const { DBClusterSnapshots: [found] = [] } = await callAws('rds:DescribeDBClusterSnapshots', name, () =>
        rds.send(new DescribeDBClusterSnapshotsCommand({ DBClusterSnapshotIdentifier: name })),
      );
      return found ? stateOf(found.DBClusterSnapshotArn, found.Status, found.PercentProgress) : null;
    },
  };
}

function stateOf(arn: string | undefined, status: string | undefined, percent: number | undefined): SnapshotState {
  return { arn: arn ?? null, status: status ?? 'creating', percent: percent ?? 0 };
}
