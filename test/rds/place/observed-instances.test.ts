import { describe, expect, it } from 'vitest';
import { observedInstances } from '../../../runner/rds/place/observed-instances.ts';
import { xmlAnswer } from '../../helpers/fakes/fake-aws.ts';
import { boundInstance, fakeRds, rdsInstance, rdsWithInstance } from '../../helpers/fakes/fake-rds.ts';

describe('the instances of a server', () => {
  it('is the one of an instance', async () => {
    const { client } = rdsWithInstance(rdsInstance({ PerformanceInsightsEnabled: true }));
    expect(await observedInstances(client, boundInstance())).toEqual([
      {
        role: 'only',
        identifier: 'alice-dlv-with-dlv',
        resourceId: 'db-ABCDEFGHIJKL',
        insights: true,
        monitoringIntervalSeconds: 1,
        hasLogVolume: true,
      },
    ]);
  });

  it('are the members of a cluster, the writer first', async () => {
    const { client } = fakeRds(({ action, input }) =>
      action === 'DescribeDBClusters'
        ? xmlAnswer(action, {
            DBClusters: [
              {
                DBClusterMembers: ['c-instance-3', 'c-instance-2', 'c-instance-1'].map((id) => ({
                  DBInstanceIdentifier: id,
                  IsClusterWriter: id === 'c-instance-2',
                })),
              },
            ],
          })
        : xmlAnswer(action, { DBInstances: [rdsInstance({ DBInstanceIdentifier: input['DBInstanceIdentifier'] })] }),
    );
    const cluster = {
      ...boundInstance({ dedicatedLogVolume: false, multiAz: true }),
      kind: 'cluster',
      identifier: 'c',
    } as const;
    const instances = await observedInstances(client, cluster);
    expect(instances.map(({ role, identifier }) => `${role} ${identifier}`)).toEqual([
      'writer c-instance-2',
      'reader1 c-instance-1',
      'reader2 c-instance-3',
    ]);
  });

  it('are none if the database is gone', async () => {
    expect(await observedInstances(rdsWithInstance(null).client, boundInstance())).toEqual([]);
  });
});
