import {
  DescribeDBProxiesCommand,
  DescribeDBProxyTargetGroupsCommand,
  DescribeDBProxyTargetsCommand,
  type RDSClient,
} from '@aws-sdk/client-rds';
import { callAws } from '../aws/call.ts';
import { ifThere } from './described.ts';
import { targetGroupName } from './proxy.ts';

/** An RDS Proxy, as RDS describes it at one moment. */
export interface ProxyState {
  /** As RDS writes it, such as `available`. */
  status: string;
  /** Host name; null while RDS creates it. */
  endpoint: string | null;
  requiresTls: boolean;
  maxConnectionsPercent: number | null;
  /** Whether it reaches the database; null if the database is not among its targets. */
  target: { state: string; reason: string | null } | null;
}

/**
 * The proxy of a database. It has the name of the database.
 *
 * @returns null if there is none
 * @throws {AwsCallError}
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_TargetHealth.html
 */
export async function describeProxy(rds: RDSClient, DBProxyName: string): Promise<ProxyState | null> {
  const answer = callAws('rds:DescribeDBProxies', DBProxyName, () =>
    rds.send(new DescribeDBProxiesCommand({ DBProxyName })),
  );
  const [found] = (await ifThere(answer, /^DBProxyNotFound/))?.DBProxies ?? [];
  if (!found) return null;
  const { TargetGroups: [group] = [] } = await callAws('rds:DescribeDBProxyTargetGroups', DBProxyName, () =>
    rds.send(new DescribeDBProxyTargetGroupsCommand({ DBProxyName })),
  );
  const { Targets = [] } = await callAws('rds:DescribeDBProxyTargets', DBProxyName, () =>
    rds.send(new DescribeDBProxyTargetsCommand({ DBProxyName, TargetGroupName: targetGroupName })),
  );
  const target = Targets.find(({ RdsResourceId: database }) => database === DBProxyName);
  return {
    status: found.Status ?? 'unknown',
    endpoint: found.Endpoint ?? null,
    requiresTls: found.RequireTLS ?? false,
    maxConnectionsPercent: group?.ConnectionPoolConfig?.MaxConnectionsPercent ?? null,
    target: target
      ? { state: target.TargetHealth?.State ?? 'unknown', reason: target.TargetHealth?.Reason ?? null }
      : null,
  };
}
