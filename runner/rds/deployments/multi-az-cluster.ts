import { problemUnless, type RuleProblem } from '../../contract/check.ts';
import { hasLogVolume, logVolumeKey } from '../../contract/log-volume.ts';
import type { Deployment } from './deployment.ts';
import { type DeployableStorage, gp3Included, significant } from './storage.ts';

/** Instance families that a Multi-AZ cluster may use: those with local NVMe disks. */
const families = [
  ...['c6gd', 'm5d', 'm6gd', 'm6id', 'm6idn', 'm8gd', 'r5d', 'r6gd', 'r6id', 'r6idn', 'r8gd', 'x2iedn'],
];

/** A Multi-AZ DB cluster: a writer and two standbys that can be read, each in a zone of its own. */
export const multiAzCluster: Deployment = {
  name: 'multi-az-cluster',
  words: 'a Multi-AZ cluster',
  kind: 'cluster',
  multiAz: true,
  zones: 3,
  /** @see https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBCluster.html for their names */
  members: {
    names: (identifier) => [1, 2, 3].map((number) => `${identifier}-instance-${number}`),
    pattern: (identifier) => `${identifier}-instance-*`,
  },
  minBackupDays: 1,
  problems: (variant, storage) => [
    ...problemUnless(
      'cluster-log-volume',
      !hasLogVolume(variant),
      [logVolumeKey],
      'a Multi-AZ cluster cannot have a dedicated log volume; use single-az or multi-az-instance',
    ),
    ...problemUnless(
      'cluster-proxy',
      variant.pooler === undefined,
      ['pooler'],
      'pgduet puts no RDS Proxy before a Multi-AZ cluster; use single-az or multi-az-instance',
    ),
    ...problemUnless(
      'cluster-class',
      variant.class === undefined || families.includes(variant.class.split('.')[1] ?? ''),
      ['class'],
      `a Multi-AZ cluster needs a class with local NVMe disks: one of the families ${families.join(', ')}`,
    ),
    ...storageProblems(storage),
  ],
  isOffered: ({ SupportsClusters }) => SupportsClusters === true,
  quotas: { DBInstances: 3, DBClusters: 1 },
  parameterGroupQuota: 'DBClusterParameterGroups',
  priceOption: 'Multi-AZ (readable standbys)',
  resourceTypes: ['AWS::RDS::DBCluster', 'AWS::RDS::DBClusterParameterGroup'],
  arns: { database: 'cluster', parameterGroup: 'cluster-pg', snapshot: 'cluster-snapshot' },
  actions: {
    createSnapshot: 'rds:CreateDBClusterSnapshot',
    describeSnapshots: 'rds:DescribeDBClusterSnapshots',
    restore: 'rds:RestoreDBClusterFromSnapshot',
  },
  namesLastSnapshot: true,
  calls: [
    { action: 'rds:DescribeDBClusters', on: 'database', to: 'examine' },
    { action: 'rds:DescribeDBInstances', on: 'instances', to: 'examine' },
    { action: 'rds:RebootDBCluster', on: 'database', to: 'apply parameters' },
    // RebootDBCluster depends on it: https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonrds.html
    { action: 'rds:RebootDBInstance', on: 'instances', to: 'apply parameters' },
    { action: 'rds:FailoverDBCluster', on: 'database', to: 'fail over' },
    { action: 'rds:FailoverDBCluster', on: 'instances', to: 'fail over' },
  ],
  logGroup: (identifier) => `/aws/rds/cluster/${identifier}/postgresql`,
  api: async () => (await import('./cluster-api.ts')).clusterApi,
};

/**
 * CreateDBCluster accepts io1, io2 and gp3, always with Iops, at 0.5 to 50 IOPS per GiB. It has no parameter for
 * throughput, which follows from the IOPS. Source: Amazon RDS API Reference, CreateDBCluster and DBCluster, as of
 * October 2026.
 */
function storageProblems(storage: DeployableStorage): RuleProblem[] {
  const { iops, sizeGib } = storage;
  const ratio = (iops ?? 0) / sizeGib;
  const path = ['storage', 'iops'];
  if (storage.type === 'gp3' && sizeGib < gp3Included.largeFromGib) {
    // RDS requires IOPS for a cluster, but refuses them for gp3 of this size.
    return [
      {
        rule: 'cluster-gp3',
        path: ['storage', 'type'],
        message:
          'a Multi-AZ cluster cannot have gp3 below 400 GiB, because its IOPS are fixed; use io1 or io2, or at least 400 GiB',
      },
    ];
  }
  return [
    ...problemUnless(
      'cluster-iops-missing',
      iops !== undefined,
      path,
      'missing; set the IOPS: a Multi-AZ cluster needs them on gp3, too',
      'missing',
    ),
    ...problemUnless(
      'cluster-iops',
      iops === undefined || (ratio >= 0.5 && ratio <= 50),
      path,
      `${significant(ratio)} IOPS per GiB; a Multi-AZ cluster allows 0.5 to 50: for ${sizeGib} GiB expected ${Math.ceil(sizeGib / 2)} to ${sizeGib * 50}`,
    ),
    ...problemUnless(
      'cluster-throughput',
      storage.type !== 'gp3' || storage.throughputMibps === undefined,
      ['storage', 'throughputMibps'],
      'a Multi-AZ cluster derives its throughput from its IOPS; remove this key',
    ),
  ];
}
