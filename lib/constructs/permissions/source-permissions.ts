import { Aws } from 'aws-cdk-lib';
import type { WantedSources } from '../../../runner/experiment/deploy/aws-sources.ts';
import { membersNamedByRds, type Permission, type PermittedServer, rdsArn } from './permission.ts';

/** So many instances are named by their resources. The policies of a role hold 10,240 characters, and a name takes 200. */
const namedResources = 8;

/**
 * Only for sources that are asked.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsperformanceinsights.html for the resources
 */
export function sourcePermissions(servers: readonly PermittedServer[], sources: WantedSources): Permission[] {
  const step = 'asking what AWS has seen of the databases';
  const ids = servers.flatMap(({ resourceId }) => resourceId ?? []);
  const isMany = servers.length > namedResources;
  const wildcard = isMany ? 'A role’s policy does not hold the resources of so many instances.' : membersNamedByRds;
  // One row for all of them: where there is a wildcard for the members of a cluster, no other row would be needed.
  const resources = isMany || ids.length < servers.length ? ['db-*'] : ids;
  const ofEach = (action: string, arn: (resourceId: string) => string, why: string): Permission[] =>
    resources.map((id) => ({ action, resource: arn(id), step, why, ...(id.includes('*') ? { wildcard } : {}) }));
  const here = `${Aws.REGION}:${Aws.ACCOUNT_ID}`;
  return [
    ...(sources.cloudWatch
      ? [
          {
            action: 'cloudwatch:GetMetricData',
            resource: '*',
            step,
            why: 'It tells latency, throughput and queue of the volumes, also of the log volume.',
            wildcard: 'Reading metrics is not limited to an instance.',
          },
        ]
      : []),
    ...(sources.insights
      ? ofEach(
          'pi:GetResourceMetrics',
          (id) => `arn:${Aws.PARTITION}:pi:${here}:metrics/rds/${id}`,
          'Database Insights tells what sessions waited for, which is compared with our own samples.',
        )
      : []),
    ...(sources.enhancedMonitoring
      ? ofEach(
          'logs:GetLogEvents',
          (id) => `arn:${Aws.PARTITION}:logs:${here}:log-group:RDSOSMetrics:log-stream:${id}`,
          'Enhanced Monitoring tells what processors and devices did in each second.',
        )
      : []),
    ...(sources.serverLog ? servers.flatMap(ofServerLog) : []),
  ];
}

function ofServerLog({ kind, identifier }: PermittedServer): Permission[] {
  return ['rds:DescribeDBLogFiles', 'rds:DownloadDBLogFilePortion'].map((action) => ({
    action,
    step: 'reading the log of PostgreSQL',
    why: 'It tells when each checkpoint began and ended.',
    ...(kind === 'cluster'
      ? { resource: rdsArn('db', `${identifier}-instance-*`), wildcard: membersNamedByRds }
      : { resource: rdsArn('db', identifier) }),
  }));
}
