import { type FakeAnswer, xmlAnswer, xmlError } from './fake-aws.ts';
import { boundInstance, type FakeRds, fakeRds, rdsInstance } from './fake-rds.ts';

/** A binding that asks for an RDS Proxy with half of the connections. */
export const boundProxied = { ...boundInstance(), expected: { ...boundInstance().expected } };
Object.assign(boundProxied.expected, { pooler: { maxConnectionsPercent: 50 } });

export const proxyEndpoint = 'alice-dlv-with-dlv.proxy-abc.us-east-1.rds.amazonaws.com';

export interface ProxySight {
  proxy?: object | null;
  percent?: number;
  target?: object | null;
}

/** An RDS with an instance as `boundProxied` wants it, and its proxy, which changes with each look at it, up to the last. */
export function rdsWithProxy(...sights: ProxySight[]): FakeRds {
  let look = -1;
  return fakeRds(({ action }): FakeAnswer => {
    if (action === 'DescribeDBProxies') look += 1;
    const { proxy = {}, percent = 50, target = {} } = sights[Math.min(look, sights.length - 1)] ?? {};
    const name = 'alice-dlv-with-dlv';
    switch (action) {
      case 'DescribeDBInstances':
        return xmlAnswer(action, { DBInstances: [rdsInstance()] });
      case 'DescribeDBProxies':
        return proxy === null
          ? xmlError('DBProxyNotFoundFault', `DBProxy ${name} not found.`, 404)
          : xmlAnswer(action, {
              DBProxies: [
                { DBProxyName: name, Status: 'available', Endpoint: proxyEndpoint, RequireTLS: true, ...proxy },
              ],
            });
      case 'DescribeDBProxyTargetGroups':
        return xmlAnswer(action, { TargetGroups: [{ ConnectionPoolConfig: { MaxConnectionsPercent: percent } }] });
      case 'DescribeDBProxyTargets':
        return xmlAnswer(action, {
          Targets: target === null ? [] : [{ RdsResourceId: name, TargetHealth: { State: 'AVAILABLE' }, ...target }],
        });
      default:
        return xmlAnswer(action, {});
    }
  });
}
