import type { ProxyArns } from '../proxies.ts';
import { type Permission, rdsArn } from './permission.ts';
import { namedResources } from './source-permissions.ts';

/**
 * What the driver reads about the proxies of a stack.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonrds.html for the resources
 */
export function proxyPermissions(proxies: readonly ProxyArns[]): Permission[] {
  const why =
    'The pre-flight checks that each proxy matches the experiment and reaches its database, and finds its endpoint.';
  const isMany = proxies.length > namedResources;
  const named = isMany ? [{ proxyArn: rdsArn('db-proxy', '*'), targetGroupArn: rdsArn('target-group', '*') }] : proxies;
  const wildcard = isMany ? { wildcard: 'A role’s policy has no room for the resources of so many proxies.' } : {};
  return named.flatMap(({ proxyArn, targetGroupArn }) =>
    [
      ['rds:DescribeDBProxies', proxyArn],
      ['rds:DescribeDBProxyTargetGroups', proxyArn],
      ['rds:DescribeDBProxyTargets', proxyArn],
      ['rds:DescribeDBProxyTargets', targetGroupArn],
    ].map(([action = '', resource = '']) => ({ action, resource, step: 'checking the variants', why, ...wildcard })),
  );
}
