import type { RDSClient } from '@aws-sdk/client-rds';
import { type Binding, boundServers } from '../contract/binding.ts';
import { describeDatabase } from '../deployments/registry.ts';

/**
 * When the first database of a stack became available, from when AWS bills for it: not while RDS creates it.
 *
 * @returns null if none is available yet
 * @throws {AwsCallError}
 */
export async function firstAvailableAt(rds: RDSClient, binding: Pick<Binding, 'variants'>): Promise<Date | null> {
  const states = await Promise.all([...boundServers(binding).values()].map((bound) => describeDatabase(rds, bound)));
  const times = states.flatMap((state) => state?.availableSince ?? []);
  const [first = null] = times.sort((a, b) => a.getTime() - b.getTime());
  return first;
}
