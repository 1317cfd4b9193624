import { DescribeDBClustersCommand } from '@aws-sdk/client-rds';
import { type Binding, boundServers } from '../../../runner/rds/contract/binding.ts';
import type { Account } from './account.ts';

/** Makes RDS say of every database that its parameter group waits for a reboot, as it does of one that was made too early. */
export async function letParametersWait(account: Account, binding: Binding): Promise<void> {
  for (const { identifier, kind, expected } of boundServers(binding).values()) {
    if (kind === 'instance') {
      const group = {
        DBParameterGroupName: expected.parameterGroup.toLowerCase(),
        ParameterApplyStatus: 'pending-reboot',
      };
      await account.control('database', { identifier, set: { db_parameter_groups: [group] } });
      continue;
    }
    const { DBClusters: [cluster] = [] } = await account.rds.send(
      new DescribeDBClustersCommand({ DBClusterIdentifier: identifier }),
    );
    const members = (cluster?.DBClusterMembers ?? []).map((member) => ({
      ...member,
      DBClusterParameterGroupStatus: 'pending-reboot',
    }));
    await account.control('database', { identifier, set: { db_cluster_members: members } });
  }
}
