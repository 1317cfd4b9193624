import { DescribeDBClustersCommand } from '@aws-sdk/client-rds';
import { type Binding, boundServers } from '../../../runner/rds/contract/binding.ts';
import type { Account } from './account.ts';

/** Moves the primaries of the Multi-AZ variants away from the driver's zone, so that the driver must bring them back. */
export async function movePrimariesAway(account: Account, binding: Binding): Promise<void> {
  for (const { identifier, kind, expected } of boundServers(binding).values()) {
    if (!expected.multiAz) continue;
    const home = expected.availabilityZone;
    const away = home.endsWith('a') ? home.replace(/a$/, 'b') : home.replace(/.$/, 'a');
    const set = (instance: string, attributes: object): Promise<unknown> =>
      account.control('database', { identifier: instance, set: attributes });
    if (kind === 'instance') {
      await set(identifier, { availability_zone: away, secondary_availability_zone: home });
      continue;
    }
    const { DBClusters: [cluster] = [] } = await account.rds.send(
      new DescribeDBClustersCommand({ DBClusterIdentifier: identifier }),
    );
    const members = cluster?.DBClusterMembers ?? [];
    const [standby] = members.filter(({ IsClusterWriter }) => IsClusterWriter !== true);
    for (const { DBInstanceIdentifier: member = '' } of members) {
      const zone = member === standby?.DBInstanceIdentifier ? home : away;
      await set(member, { availability_zone: zone });
    }
  }
}
