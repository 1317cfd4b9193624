import type { RDSClient } from '@aws-sdk/client-rds';
import { hasLogVolume } from '../../contract/log-volume.ts';
import type { ObservedInstance } from '../collect/sources.ts';
import type { ServerBinding } from '../contract/binding.ts';
import { findInstance } from '../deployments/instance-api.ts';
import { hasProxy } from './await-proxy.ts';
import { apiOf } from '../deployments/registry.ts';

/**
 * The instances of a server, as RDS names them now. For a cluster, the writer comes first, then the readers in the
 * order of their names.
 *
 * @throws {AwsCallError}
 */
export async function observedInstances(rds: RDSClient, bound: ServerBinding): Promise<ObservedInstance[]> {
  const api = await apiOf(bound);
  const members = await api.members(rds, bound.identifier);
  const instances = await Promise.all(
    members.map(async ({ role, identifier }) => ({ role, found: await findInstance(rds, identifier) })),
  );
  return instances.flatMap(({ role, found }) =>
    found
      ? [
          {
            role,
            identifier: found.DBInstanceIdentifier ?? '',
            resourceId: found.DbiResourceId ?? null,
            insights: found.PerformanceInsightsEnabled ?? false,
            monitoringIntervalSeconds: found.MonitoringInterval ?? 0,
            hasLogVolume: hasLogVolume(bound.expected),
            ...(hasProxy(bound) && { hasProxy: true }),
          },
        ]
      : [],
  );
}
