import type { ServerBinding } from '../contract/binding.ts';
import type { DatabaseState } from '../deployments/deployment.ts';
import { propertyDifferences } from '../deployments/server-properties.ts';

/** Statuses that end by themselves. Any other except `available` and those of storage mean that it needs a person. */
const transientStatuses = [
  'backing-up',
  'configuring-enhanced-monitoring',
  'configuring-iam-database-auth',
  'configuring-log-exports',
  'creating',
  'failing-over',
  'maintenance',
  'modifying',
  'rebooting',
  'renaming',
  'resetting-master-credentials',
  'starting',
  'storage-config-upgrade',
  'upgrading',
];

/** Statuses in which the database can be used, and its volumes are slower. */
const storageStatuses = ['storage-initialization', 'storage-optimization'];

/** What RDS still does to the volumes of the database, as texts; empty if nothing. It may take many hours. */
export function storageWork({ statuses, storageOperations }: DatabaseState): string[] {
  return [...statuses.filter((status) => storageStatuses.includes(status)), ...storageOperations];
}

/** What must still end before the database can be used, as texts; empty if nothing. */
export function pendingStatuses({ statuses, parameterStatuses }: DatabaseState): string[] {
  return [
    ...statuses.filter((status) => transientStatuses.includes(status)),
    ...parameterStatuses.filter((status) => status === 'applying').map(() => 'applying its parameters'),
  ];
}

/**
 * Why the database cannot be measured at all, as a text that follows its name; null if it can be measured now, or will
 * become ready by itself.
 */
export function brokenBy({ statuses }: DatabaseState): string | null {
  const harmless = ['available', ...transientStatuses, ...storageStatuses];
  const broken = statuses.find((status) => !harmless.includes(status));
  return broken === undefined ? null : `is ${broken}${remedies[broken] ?? ''}`;
}

const remedies: Record<string, string> = {
  'storage-full': ': its data volume or log volume is full. Give it more storage, or choose a smaller scale',
  stopped: ': start it with `aws rds start-db-instance`',
  'insufficient-capacity':
    ': its Availability Zone has no room for this class. Choose another zone or class, or deploy again later',
  'incompatible-parameters': ': the instance class cannot run with these parameters. Correct engine.parameters',
};

/**
 * How the database differs from what was asked for. Each difference is a text that follows the database's name; empty
 * if there are none.
 */
export function differences(expected: ServerBinding['expected'], state: DatabaseState): string[] {
  return [
    ...propertyDifferences(expected, state.database),
    ...state.pending.map((change) => `has a change pending: ${change}. Reboot it, or undo the change`),
    ...state.parameterStatuses
      .filter((status) => status !== 'in-sync' && status !== 'applying')
      .map((status) => `has not applied its parameter group (${status}). Look at the database's events in RDS`),
  ];
}
