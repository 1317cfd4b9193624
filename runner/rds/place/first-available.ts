import type { RDSClient } from '@aws-sdk/client-rds';
import { type Binding, boundServers } from '../contract/binding.ts';
import { findCluster, findInstance } from './describe-database.ts';

/**
 * When the first database of a stack became available, from when AWS bills for it: not while RDS creates it.
 *
 * @returns null if none is available yet
 * @throws {AwsCallError}
 */
export async function firstAvailableAt(rds: RDSClient, binding: Pick<Binding, 'variants'>): Promise<Date | null> {
  const times = await Promise.all(
    [...boundServers(binding).values()].map(async ({ kind, identifier }) => {
      if (kind === 'cluster') {
        const cluster = await findCluster(rds, identifier);
        return billedFrom(cluster?.Status, cluster?.ClusterCreateTime);
      }
      const instance = await findInstance(rds, identifier);
      return billedFrom(instance?.DBInstanceStatus, instance?.InstanceCreateTime);
    }),
  );
  const [first = null] = times.flat().sort((a, b) => a.getTime() - b.getTime());
  return first;
}

function billedFrom(status: string | undefined, createdAt: Date | undefined): Date[] {
  return createdAt === undefined || status === 'creating' ? [] : [createdAt];
}
