import type { ProxyArns } from '../proxies.ts';
import type { Permission } from './permission.ts';

/**
 * What the driver reads about the proxies of a stack.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonrds.html for the resources
 */
export function proxyPermissions(proxies: readonly ProxyArns[]): Permission[] {
  const why =
    'The pre-flight checks that each proxy is what was asked for and reaches its database, and finds its endpoint.';
  return proxies.flatMap(({ proxyArn, targetGroupArn }) =>
    [
      ['rds:DescribeDBProxies', proxyArn],
      ['rds:DescribeDBProxyTargetGroups', proxyArn],
      ['rds:DescribeDBProxyTargets', proxyArn],
      ['rds:DescribeDBProxyTargets', targetGroupArn],
    ].map(([action = '', resource = '']) => ({ action, resource, step: 'checking the variants', why })),
  );
}
