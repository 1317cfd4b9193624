import { Aws } from 'aws-cdk-lib';
import type { WantedSources } from '../../../runner/rds/deploy/aws-sources.ts';
import { instancesOf, membersNamedByRds, only, type Permission, type PermittedServer } from './permission.ts';

/** A database; `resourceId` is its DbiResourceId, undefined for a cluster. */
type MadeServer = PermittedServer & { readonly resourceId: string | undefined };

/** The most instances, or proxies, that are named one by one. A role's policies hold 10,240 characters, and a name takes 200. */
export const namedResources = 8;

/**
 * The permissions for the sources that are asked.
 *
 * @param insightsKeyArn key of Database Insights, if it is not the account's default key
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsperformanceinsights.html for the resources
 */
export function sourcePermissions(
  servers: readonly MadeServer[],
  sources: WantedSources,
  insightsKeyArn?: string,
): Permission[] {
  const step = 'asking what AWS recorded about the databases';
  const ids = servers.flatMap(({ resourceId }) => resourceId ?? []);
  const isMany = servers.length > namedResources;
  const wildcard = isMany ? 'A role’s policy has no room for the resources of so many instances.' : membersNamedByRds;
  // One row for all: a wildcard for the members of a cluster covers all other instances, too.
  const resources = isMany || ids.length < servers.length ? ['db-*'] : ids;
  const eachResource = (action: string, arn: (resourceId: string) => string, why: string): Permission[] =>
    resources.map((id) => ({ action, resource: arn(id), step, why, ...(id.includes('*') ? { wildcard } : {}) }));
  const here = `${Aws.REGION}:${Aws.ACCOUNT_ID}`;
  return [
    ...(sources.cloudWatch
      ? [
          {
            action: 'cloudwatch:GetMetricData',
            resource: '*',
            step,
            why: 'It has latency, throughput and queue depth of the volumes, including the log volume.',
            wildcard: 'Reading metrics is not limited to an instance.',
          },
        ]
      : []),
    ...(sources.insights
      ? eachResource(
          'pi:GetResourceMetrics',
          (id) => `arn:${Aws.PARTITION}:pi:${here}:metrics/rds/${id}`,
          'Database Insights records what sessions waited for, and pgduet compares that with its own samples.',
        )
      : []),
    ...(sources.insights && insightsKeyArn !== undefined
      ? // https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PerfInsights.access-control.cmk-policy.html
        ['kms:Decrypt', 'kms:GenerateDataKey'].map((action) => ({
          action,
          resource: insightsKeyArn,
          conditions: only('rds'),
          step,
          why: 'What Database Insights records is encrypted with its own key.',
        }))
      : []),
    ...(sources.enhancedMonitoring
      ? eachResource(
          'logs:GetLogEvents',
          (id) => `arn:${Aws.PARTITION}:logs:${here}:log-group:RDSOSMetrics:log-stream:${id}`,
          'Enhanced Monitoring records what processors and devices did in each second.',
        )
      : []),
    ...(sources.serverLog ? servers.flatMap(serverLogPermissions) : []),
  ];
}

function serverLogPermissions(server: PermittedServer): Permission[] {
  return ['rds:DescribeDBLogFiles', 'rds:DownloadDBLogFilePortion'].map((action) => ({
    action,
    step: 'reading PostgreSQL’s log',
    why: 'It records when each checkpoint began and ended.',
    ...instancesOf(server),
  }));
}
