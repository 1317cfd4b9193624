import type { DatabaseApi, Deployment } from '../../../runner/rds/deployments/deployment.ts';
import { multiAzCluster } from '../../../runner/rds/deployments/multi-az-cluster.ts';

/** A deployment that RDS does not have: a writer alone, over a volume that three zones share. */
export const sharedVolume: Deployment = {
  ...multiAzCluster,
  name: 'shared-volume',
  words: 'a cluster on a shared volume',
  kind: 'shared-volume',
  multiAz: false,
  members: { names: (identifier) => [`${identifier}-writer`], pattern: (identifier) => `${identifier}-writer` },
  problems: ({ class: name }) =>
    name?.startsWith('db.r') === true
      ? []
      : [{ path: ['class'], message: 'a shared volume needs a class of the family r' }],
  quotas: { DBInstances: 1, DBClusters: 1 },
  priceOption: 'Shared volume',
  resourceTypes: ['AWS::RDS::DBCluster', 'AWS::RDS::DBClusterParameterGroup', 'AWS::RDS::DBInstance'],
  calls: [
    { action: 'rds:DescribeDBClusters', on: 'database', to: 'examine' },
    { action: 'rds:RebootDBInstance', on: 'instances', to: 'apply parameters' },
  ],
  api: async (): Promise<DatabaseApi> => {
    const { clusterApi } = await import('../../../runner/rds/deployments/cluster-api.ts');
    return {
      ...clusterApi,
      async describe(rds, identifier) {
        const state = await clusterApi.describe(rds, identifier);
        return state && { ...state, database: { ...state.database, kind: 'shared-volume', multiAz: false } };
      },
    };
  },
};
