import type { Conditions } from 'aws-cdk-lib/aws-iam';
import type { ServerBinding } from '../../../runner/rds/contract/binding.ts';
import { membersNamedByRds, type Permission, type PermittedServer, rdsArn } from './permission.ts';

/** A snapshot that the driver keeps of the loaded data. */
export interface KeptSnapshot {
  readonly of: Pick<ServerBinding, 'kind' | 'identifier'>;
  /** The beginning of the snapshot's name. */
  readonly namePrefix: string;
}

/** What the driver reads about a database, and what it changes. */
export function serverPermissions({ kind, identifier, expected }: PermittedServer, crossover: boolean): Permission[] {
  const instance = {
    action: 'rds:DescribeDBInstances',
    resource: rdsArn('db', identifier),
    step: 'checking the variants',
    why: 'The pre-flight checks that each is what was asked for, and finds its endpoint.',
  };
  const failOverToDriverZone = {
    step: 'bringing the primary to the driver’s zone',
    why: 'If the primary were in another zone, every statement would cross zones.',
  };
  const bringIntoForce = {
    step: 'rebooting a database whose parameter group waits for a reboot',
    why: 'A database may be made before its parameters exist; without them it would not be what was asked for.',
  };
  if (kind === 'instance') {
    const reboot = { action: 'rds:RebootDBInstance', resource: instance.resource };
    const crossOver = {
      step: 'exchanging the log volumes',
      why: 'In a crossover, each instance carries both variants in turn, so that differences between the hosts cancel out.',
    };
    return [
      instance,
      { ...reboot, ...bringIntoForce },
      ...(expected.multiAz ? [{ ...reboot, ...failOverToDriverZone }] : []),
      ...(crossover
        ? [
            {
              action: 'rds:ModifyDBInstance',
              resource: instance.resource,
              conditions: asLarge(expected),
              ...crossOver,
            },
            { ...reboot, ...crossOver },
          ]
        : []),
    ];
  }
  const cluster = rdsArn('cluster', identifier);
  const members = { resource: rdsArn('db', `${identifier}-instance-*`), wildcard: membersNamedByRds };
  return [
    { ...instance, action: 'rds:DescribeDBClusters', resource: cluster },
    { ...instance, ...members },
    { action: 'rds:RebootDBCluster', resource: cluster, ...bringIntoForce },
    // RebootDBCluster depends on it: https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonrds.html
    { action: 'rds:RebootDBInstance', ...members, ...bringIntoForce },
    { action: 'rds:FailoverDBCluster', resource: cluster, ...failOverToDriverZone },
    { action: 'rds:FailoverDBCluster', ...members, ...failOverToDriverZone },
  ];
}

/**
 * A crossover adds and removes log volumes, for which IAM has no key. The keys that it has keep the class, the storage, the
 * IOPS and Multi-AZ, which make up the price. A request that does not have one of them passes.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonrds.html
 */
function asLarge({ class: className, storage, multiAz }: PermittedServer['expected']): Conditions {
  return {
    StringEqualsIfExists: { 'rds:DatabaseClass': className },
    BoolIfExists: { 'rds:MultiAz': `${multiAz}` },
    NumericLessThanEqualsIfExists: {
      'rds:StorageSize': `${storage.sizeGib}`,
      ...(storage.iops === null ? {} : { 'rds:Piops': `${storage.iops}` }),
    },
  };
}

/** @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonrds.html for the resources */
export function snapshotPermissions({ of, namePrefix }: KeptSnapshot): Permission[] {
  const cluster = of.kind === 'cluster';
  const database = rdsArn(cluster ? 'cluster' : 'db', of.identifier);
  const snapshot = {
    resource: rdsArn(cluster ? 'cluster-snapshot' : 'snapshot', `${namePrefix}*`),
    step: 'keeping a snapshot of the loaded data',
    why: 'The next stack restores it instead of loading.',
    wildcard: 'The name of the snapshot ends with the time of the run.',
  };
  const create = cluster ? 'rds:CreateDBClusterSnapshot' : 'rds:CreateDBSnapshot';
  return [
    { action: create, resource: database, step: snapshot.step, why: snapshot.why },
    { ...snapshot, action: create },
    { ...snapshot, action: cluster ? 'rds:DescribeDBClusterSnapshots' : 'rds:DescribeDBSnapshots' },
    { ...snapshot, action: 'rds:AddTagsToResource' },
  ];
}
