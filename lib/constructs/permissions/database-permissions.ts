import type { ServerBinding } from '../../../runner/contract/binding.ts';
import { membersNamedByRds, type Permission, type PermittedServer, rdsArn } from './permission.ts';

/** A snapshot that the driver keeps of the loaded data. */
export interface KeptSnapshot {
  readonly of: Pick<ServerBinding, 'kind' | 'identifier'>;
  /** What the snapshot's name begins with. */
  readonly namePrefix: string;
}

/** What the driver asks of a database itself, and changes of it. */
export function serverPermissions({ kind, identifier, expected }: PermittedServer, crossover: boolean): Permission[] {
  const instance = {
    action: 'rds:DescribeDBInstances',
    resource: rdsArn('db', identifier),
    step: 'looking at the variants',
    why: 'The pre-flight proves that each is what was asked for; the endpoint is found there, too.',
  };
  const failOverToDriverZone = {
    step: 'bringing the primary to the driver’s zone',
    why: 'A primary in another zone would add the network between zones to every statement.',
  };
  const bringIntoForce = {
    step: 'rebooting a database whose parameter group waits for that',
    why: 'A database may be made before its parameters are there; without them it would not be what was asked for.',
  };
  if (kind === 'instance') {
    const reboot = { action: 'rds:RebootDBInstance', resource: instance.resource };
    const crossOver = {
      step: 'changing the places of the log volumes',
      why: 'In a crossover each instance carries both variants by turns, so that their hosts cancel out.',
    };
    return [
      instance,
      { ...reboot, ...bringIntoForce },
      ...(expected.multiAz ? [{ ...reboot, ...failOverToDriverZone }] : []),
      ...(crossover
        ? [
            { action: 'rds:ModifyDBInstance', resource: instance.resource, ...crossOver },
            { ...reboot, ...crossOver },
          ]
        : []),
    ];
  }
  const cluster = rdsArn('cluster', identifier);
  return [
    { ...instance, action: 'rds:DescribeDBClusters', resource: cluster },
    {
      ...instance,
      resource: rdsArn('db', `${identifier}-instance-*`),
      wildcard: membersNamedByRds,
    },
    { action: 'rds:RebootDBCluster', resource: cluster, ...bringIntoForce },
    { action: 'rds:FailoverDBCluster', resource: cluster, ...failOverToDriverZone },
    {
      action: 'rds:FailoverDBCluster',
      resource: rdsArn('db', `${identifier}-instance-*`),
      ...failOverToDriverZone,
      wildcard: membersNamedByRds,
    },
  ];
}

/** @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonrds.html for the resources */
export function snapshotPermissions({ of, namePrefix }: KeptSnapshot): Permission[] {
  const cluster = of.kind === 'cluster';
  const database = rdsArn(cluster ? 'cluster' : 'db', of.identifier);
  const snapshot = {
    resource: rdsArn(cluster ? 'cluster-snapshot' : 'snapshot', `${namePrefix}*`),
    step: 'keeping a snapshot of the loaded data',
    why: 'The next stack restores it instead of loading.',
    wildcard: 'The name of the snapshot ends in the time of the run.',
  };
  const create = cluster ? 'rds:CreateDBClusterSnapshot' : 'rds:CreateDBSnapshot';
  return [
    { action: create, resource: database, step: snapshot.step, why: snapshot.why },
    { ...snapshot, action: create },
    { ...snapshot, action: cluster ? 'rds:DescribeDBClusterSnapshots' : 'rds:DescribeDBSnapshots' },
    { ...snapshot, action: 'rds:AddTagsToResource' },
  ];
}
