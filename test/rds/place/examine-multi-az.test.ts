import { describe, expect, it } from 'vitest';
import type { ServerBinding } from '../../../runner/rds/contract/binding.ts';
import { xmlAnswer, xmlError } from '../../helpers/fakes/fake-aws.ts';
import { boundInstance, type FakeRds, fakeRds, rdsInstance, rdsWithInstance } from '../../helpers/fakes/fake-rds.ts';
import { examine } from '../../helpers/samples/examined-database.ts';

describe('a Multi-AZ instance', () => {
  const binding = boundInstance({ multiAz: true });
  const away = rdsInstance({ MultiAZ: true, AvailabilityZone: 'us-east-1a', SecondaryAvailabilityZone: 'us-east-1b' });
  const home = rdsInstance({ MultiAZ: true, AvailabilityZone: 'us-east-1b', SecondaryAvailabilityZone: 'us-east-1a' });

  it('is failed over to the driver’s zone', async () => {
    const rds = rdsWithInstance(away, rdsInstance({ DBInstanceStatus: 'rebooting' }), away, home);
    const { state, caveats } = await examine(rds, { binding }).examined;
    const reboots = rds.aws.requests.filter(({ action }) => action === 'RebootDBInstance');
    expect(reboots.map(({ input }) => input)).toEqual([
      expect.objectContaining({ DBInstanceIdentifier: 'alice-dlv-with-dlv', ForceFailover: 'true' }),
    ]);
    expect(state.database.availabilityZone).toBe('us-east-1b');
    expect(caveats).toEqual([]);
  });

  it('is marked when no standby is in the driver’s zone', async () => {
    const rds = rdsWithInstance({ ...away, SecondaryAvailabilityZone: 'us-east-1c' });
    const { caveats } = await examine(rds, { binding }).examined;
    expect(caveats).toEqual([
      'The primary of with-dlv is in us-east-1a, but the driver is in us-east-1b, and the database has no standby there: every statement crosses zones.',
    ]);
    expect(rds.aws.requests.every(({ action }) => action === 'DescribeDBInstances')).toBe(true);
  });

  it('is marked when the failover does not bring it there', async () => {
    const { caveats } = await examine(rdsWithInstance(away), { binding }).examined;
    expect(caveats[0]).toMatch(/a failover did not move it there/);
  });
});

describe('a Multi-AZ cluster', () => {
  const binding: ServerBinding = {
    ...boundInstance({ multiAz: true, dedicatedLogVolume: false }),
    kind: 'cluster',
    identifier: 'alice-cluster',
  };
  const zones = { 'alice-cluster-instance-1': 'us-east-1a', 'alice-cluster-instance-2': 'us-east-1b' };

  function cluster(writer: keyof typeof zones, changes: object = {}): object {
    return {
      DBClusterIdentifier: 'alice-cluster',
      DbClusterResourceId: 'cluster-ABC',
      Status: 'available',
      Endpoint: 'alice-cluster.cluster-abc.us-east-1.rds.amazonaws.com',
      Port: 5432,
      DBClusterInstanceClass: 'db.r6g.large',
      EngineVersion: '16.15',
      StorageType: 'io2',
      AllocatedStorage: 200,
      Iops: 3000,
      MultiAZ: true,
      DBClusterParameterGroup: 'alice-group',
      BackupRetentionPeriod: 1,
      MonitoringInterval: 1,
      DBClusterMembers: Object.keys(zones).map((id) => ({
        DBInstanceIdentifier: id,
        IsClusterWriter: id === writer,
        DBClusterParameterGroupStatus: 'in-sync',
      })),
      ...changes,
    };
  }

  function rdsWithCluster(...sights: object[]): FakeRds {
    let look = 0;
    return fakeRds(({ action, input }) => {
      if (action === 'DescribeDBClusters') {
        return xmlAnswer(action, { DBClusters: [sights[Math.min(look++, sights.length - 1)]] });
      }
      const id = input['DBInstanceIdentifier'] as keyof typeof zones;
      const member = rdsInstance({ DBInstanceIdentifier: id, AvailabilityZone: zones[id], DedicatedLogVolume: false });
      return xmlAnswer(action, action === 'DescribeDBInstances' ? { DBInstances: [member] } : {});
    });
  }

  it('passes with its writer in the driver’s zone, by its writer endpoint', async () => {
    const { state } = await examine(rdsWithCluster(cluster('alice-cluster-instance-2')), { binding }).examined;
    expect(state.database).toMatchObject({
      endpoint: 'alice-cluster.cluster-abc.us-east-1.rds.amazonaws.com',
      availabilityZone: 'us-east-1b',
      standbyZones: ['us-east-1a'],
    });
  });

  it('is failed over to the member in the driver’s zone', async () => {
    const rds = rdsWithCluster(cluster('alice-cluster-instance-1'), cluster('alice-cluster-instance-2'));
    await examine(rds, { binding }).examined;
    const failover = rds.aws.requests.find(({ action }) => action === 'FailoverDBCluster');
    expect(failover?.input['TargetDBInstanceIdentifier']).toBe('alice-cluster-instance-2');
  });

  it('is refused when it is missing', async () => {
    const rds = fakeRds(() => xmlError('DBClusterNotFoundFault', 'DBCluster alice-cluster not found.', 404));
    await expect(examine(rds, { binding }).examined).rejects.toThrow(/cluster not found/);
  });
});
