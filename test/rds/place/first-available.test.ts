import { expect, it } from 'vitest';
import { firstAvailableAt } from '../../../runner/rds/place/first-available.ts';
import { xmlAnswer, xmlError } from '../../helpers/fakes/fake-aws.ts';
import { boundInstance, fakeRds, rdsInstance, rdsWithInstance, sampleBinding } from '../../helpers/fakes/fake-rds.ts';

const binding = sampleBinding({ 'with-dlv': boundInstance(), without: boundInstance() });
const at = (minutes: number) => new Date(Date.UTC(2026, 10, 28, 12, minutes)).toISOString();

it('is the time of the earliest database', async () => {
  const rds = rdsWithInstance(rdsInstance({ InstanceCreateTime: at(25) }), rdsInstance({ InstanceCreateTime: at(20) }));
  expect((await firstAvailableAt(rds.client, binding))?.toISOString()).toBe(at(20));
});

it('leaves out a database that is being created, which AWS does not bill', async () => {
  const creating = rdsInstance({ DBInstanceStatus: 'creating', InstanceCreateTime: at(5) });
  const rds = rdsWithInstance(creating, rdsInstance({ InstanceCreateTime: at(20) }));
  expect((await firstAvailableAt(rds.client, binding))?.toISOString()).toBe(at(20));
  expect(await firstAvailableAt(rdsWithInstance(creating).client, binding)).toBeNull();
});

it('is unknown where there is no database yet', async () => {
  expect(await firstAvailableAt(rdsWithInstance(null).client, binding)).toBeNull();
});

it('is the time of a cluster, too', async () => {
  const cluster = sampleBinding({
    cluster: { ...boundInstance({ multiAz: true }), kind: 'cluster', identifier: 'alice-dlv-cluster' },
  });
  const rds = fakeRds(({ action }) =>
    action === 'DescribeDBClusters'
      ? xmlAnswer(action, { DBClusters: [{ Status: 'available', ClusterCreateTime: at(30) }] })
      : xmlError('DBInstanceNotFound', 'not there', 404),
  );
  expect((await firstAvailableAt(rds.client, cluster))?.toISOString()).toBe(at(30));
});
