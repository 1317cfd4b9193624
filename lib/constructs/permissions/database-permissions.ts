import type { Conditions } from 'aws-cdk-lib/aws-iam';
import type { DriverCall } from '../../../runner/rds/deployments/deployment.ts';
import { deploymentOfServer } from '../../../runner/rds/deployments/registry.ts';
import { instancesOf, type Permission, type PermittedServer, rdsArn } from './permission.ts';

/** A snapshot that the driver keeps of the loaded data. */
export interface KeptSnapshot {
  readonly of: PermittedServer;
  /** The beginning of the snapshot's name. */
  readonly namePrefix: string;
}

/** Why the driver needs each of its calls. */
const reasons: Readonly<Record<DriverCall['to'], Pick<Permission, 'step' | 'why'>>> = {
  examine: {
    step: 'checking the variants',
    why: 'The pre-flight checks that each matches the experiment, and finds its endpoint.',
  },
  'apply parameters': {
    step: 'rebooting a database whose parameter group waits for a reboot',
    why: 'A database may be created before its parameters; without them, it would not match the experiment.',
  },
  'fail over': {
    step: 'bringing the primary to the driver’s zone',
    why: 'If the primary were in another zone, every statement would cross zones.',
  },
  'cross over': {
    step: 'exchanging the log volumes',
    why: 'In a crossover, each instance carries both variants in turn, so that differences between the hosts cancel out.',
  },
};

/** What the driver reads about a database, and what it changes. */
export function serverPermissions(server: PermittedServer, crossover: boolean): Permission[] {
  const { calls, arns } = deploymentOfServer(server);
  return calls
    .filter(({ to }) => crossover || to !== 'cross over')
    .map(({ action, on, to }) => ({
      action,
      ...(on === 'database' ? { resource: rdsArn(arns.database, server.identifier) } : instancesOf(server)),
      ...(action === 'rds:ModifyDBInstance' && { conditions: asLarge(server.expected) }),
      ...reasons[to],
    }));
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
  const { arns, actions } = deploymentOfServer(of);
  const snapshot = {
    resource: rdsArn(arns.snapshot, `${namePrefix}*`),
    step: 'keeping a snapshot of the loaded data',
    why: 'The next stack restores it instead of loading.',
    wildcard: 'The name of the snapshot ends with the time of the run.',
  };
  return [
    {
      action: actions.createSnapshot,
      resource: rdsArn(arns.database, of.identifier),
      step: snapshot.step,
      why: snapshot.why,
    },
    { ...snapshot, action: actions.createSnapshot },
    { ...snapshot, action: actions.describeSnapshots },
    { ...snapshot, action: 'rds:AddTagsToResource' },
  ];
}
