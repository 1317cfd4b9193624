import type { Deployment } from './deployment.ts';

/** What every deployment as one DB instance has in common, with or without a standby in another zone. */
export const instance = {
  kind: 'instance',
  members: null,
  minBackupDays: 0,
  problems: () => [],
  quotas: { DBInstances: 1 },
  parameterGroupQuota: 'DBParameterGroups',
  resourceTypes: ['AWS::RDS::DBInstance', 'AWS::RDS::DBParameterGroup'],
  arns: { database: 'db', parameterGroup: 'pg', snapshot: 'snapshot' },
  actions: {
    createSnapshot: 'rds:CreateDBSnapshot',
    describeSnapshots: 'rds:DescribeDBSnapshots',
    restore: 'rds:RestoreDBInstanceFromDBSnapshot',
  },
  namesLastSnapshot: false,
  logGroup: (identifier) => `/aws/rds/instance/${identifier}/postgresql`,
  api: async () => (await import('./instance-api.ts')).instanceApi,
} as const satisfies Partial<Deployment>;

export const examining = [
  { action: 'rds:DescribeDBInstances', on: 'database', to: 'examine' },
  { action: 'rds:RebootDBInstance', on: 'database', to: 'apply parameters' },
] as const satisfies Deployment['calls'];

export const crossingOver = [
  { action: 'rds:ModifyDBInstance', on: 'database', to: 'cross over' },
  { action: 'rds:RebootDBInstance', on: 'database', to: 'cross over' },
] as const satisfies Deployment['calls'];
