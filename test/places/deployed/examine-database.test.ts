import { describe, expect, it } from 'vitest';
import type { VariantBinding } from '../../../runner/contract/binding.ts';
import type { ExaminedDatabase } from '../../../runner/places/deployed/examine-database.ts';
import { examineDatabase } from '../../../runner/places/deployed/examine-database.ts';
import { xmlAnswer, xmlError } from '../../helpers/fake-aws.ts';
import {
  boundInstance,
  fakeClock,
  type FakeRds,
  fakeRds,
  rdsInstance,
  rdsWithInstance,
} from '../../helpers/fake-rds.ts';

function examine(
  rds: FakeRds,
  { binding = boundInstance(), limitSeconds = 600 }: { binding?: VariantBinding; limitSeconds?: number } = {},
): { examined: Promise<ExaminedDatabase>; pauses: number[]; said: string[] } {
  const clock = fakeClock();
  const said: string[] = [];
  const examined = examineDatabase('with-dlv', binding, {
    ...clock,
    rds: rds.client,
    signal: new AbortController().signal,
    limitSeconds,
    say: (line) => said.push(line),
  });
  return { examined, pauses: clock.pauses, said };
}

describe('the database of a variant', () => {
  it('passes when it is what was asked for, and is described in full', async () => {
    const { examined, pauses } = examine(rdsWithInstance(rdsInstance()));
    const { state, caveats } = await examined;
    expect(state.database).toEqual({
      kind: 'instance',
      identifier: 'alice-dlv-with-dlv',
      resourceId: 'db-ABCDEFGHIJKL',
      endpoint: 'alice-dlv-with-dlv.abc.us-east-1.rds.amazonaws.com',
      class: 'db.r6g.large',
      engineVersion: '16.15',
      storage: { type: 'io2', sizeGib: 200, iops: 3000, throughputMibps: null },
      dedicatedLogVolume: true,
      multiAz: false,
      availabilityZone: 'us-east-1b',
      standbyZones: [],
      parameterGroup: 'alice-group',
      backupRetentionDays: 1,
      monitoringIntervalSeconds: 1,
    });
    expect(caveats).toEqual([]);
    expect(pauses).toEqual([]);
  });

  it('is refused at once when it is missing', async () => {
    const { examined, pauses } = examine(rdsWithInstance(null));
    await expect(examined).rejects.toThrow(
      'Variant with-dlv (alice-dlv-with-dlv): there is no such instance. Has the stack been changed or destroyed?',
    );
    expect(pauses).toEqual([]);
  });

  it('is waited for while it is created and backed up', async () => {
    const creating = rdsInstance({ DBInstanceStatus: 'creating' });
    const backingUp = rdsInstance({ DBInstanceStatus: 'backing-up' });
    const { examined, pauses, said } = examine(rdsWithInstance(creating, creating, backingUp, rdsInstance()));
    await examined;
    expect(pauses).toEqual([15, 15, 15]);
    expect(said).toEqual([
      'Variant with-dlv (alice-dlv-with-dlv): waiting: creating',
      'Variant with-dlv (alice-dlv-with-dlv): waiting: backing-up',
    ]);
  });

  it('is given up when it is still being created after the limit', async () => {
    const { examined } = examine(rdsWithInstance(rdsInstance({ DBInstanceStatus: 'creating' })), { limitSeconds: 300 });
    await expect(examined).rejects.toThrow(
      'Variant with-dlv (alice-dlv-with-dlv) was still not ready after 5 minutes: creating.',
    );
  });

  it('is refused at once when its storage is full', async () => {
    const { examined, pauses } = examine(rdsWithInstance(rdsInstance({ DBInstanceStatus: 'storage-full' })));
    await expect(examined).rejects.toThrow(/is storage-full: its data or its log volume has no room left/);
    expect(pauses).toEqual([]);
  });

  it('is refused without the log volume that was asked for', async () => {
    const { examined } = examine(rdsWithInstance(rdsInstance({ DedicatedLogVolume: false })));
    await expect(examined).rejects.toThrow(
      'Variant with-dlv (alice-dlv-with-dlv) has no dedicated log volume, though the experiment asks for one.',
    );
  });

  it('is refused with a log volume that nobody asked for', async () => {
    const binding = boundInstance({ dedicatedLogVolume: false });
    await expect(examine(rdsWithInstance(rdsInstance()), { binding }).examined).rejects.toThrow(
      /has a dedicated log volume, though the experiment asks for none/,
    );
  });

  it('is refused when its parameters wait for a reboot', async () => {
    const groups = [{ DBParameterGroupName: 'alice-group', ParameterApplyStatus: 'pending-reboot' }];
    await expect(examine(rdsWithInstance(rdsInstance({ DBParameterGroups: groups }))).examined).rejects.toThrow(
      /has its parameter group not in force \(pending-reboot\)\. Reboot it/,
    );
  });

  it('may finish its own changes for two minutes; later ones are a problem', async () => {
    const pending = rdsInstance({ PendingModifiedValues: { DedicatedLogVolume: true } });
    const { examined: patient, pauses } = examine(rdsWithInstance(pending, rdsInstance()));
    await patient;
    expect(pauses).toEqual([15]);
    await expect(examine(rdsWithInstance(pending)).examined).rejects.toThrow(
      /has a change pending: DedicatedLogVolume true/,
    );
  });

  it('names everything that is wrong at once', async () => {
    const other = rdsInstance({ Iops: 1000, EngineVersion: '16.14', DBInstanceClass: 'db.r6g.xlarge' });
    const message = await examine(rdsWithInstance(other)).examined.then(
      () => '',
      (error: unknown) => (error as Error).message,
    );
    expect(message.split('\n')).toEqual([
      'Variant with-dlv (alice-dlv-with-dlv) has class db.r6g.xlarge instead of db.r6g.large.',
      'Variant with-dlv (alice-dlv-with-dlv) has engine version 16.14 instead of 16.15.',
      'Variant with-dlv (alice-dlv-with-dlv) has IOPS 1000 instead of 3000.',
    ]);
  });

  it('is refused in another zone than the driver’s when it has only one', async () => {
    await expect(examine(rdsWithInstance(rdsInstance({ AvailabilityZone: 'us-east-1a' }))).examined).rejects.toThrow(
      /has zone us-east-1a instead of us-east-1b/,
    );
  });

  it('is found in spite of throttling, by the SDK and between its tries', async () => {
    const throttled = xmlError('Throttling', 'Rate exceeded');
    const rds = rdsWithInstance(throttled, throttled, throttled, throttled, rdsInstance());
    const { examined, pauses, said } = examine(rds);
    await examined;
    expect(rds.aws.requests).toHaveLength(5);
    expect(pauses).toEqual([15, 15]);
    expect(said[0]).toMatch(/waiting: rds:DescribeDBInstances of alice-dlv-with-dlv was throttled/);
  });

  it('says which permission is missing', async () => {
    const denied = xmlError(
      'AccessDenied',
      'User: driver is not authorized to perform: rds:DescribeDBInstances on resource: alice-dlv-with-dlv',
      403,
    );
    await expect(examine(rdsWithInstance(denied)).examined).rejects.toThrow(
      /rds:DescribeDBInstances of alice-dlv-with-dlv was refused: .*not authorized/,
    );
  });
});

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
      'The primary of with-dlv is in us-east-1a, the driver in us-east-1b, and it has no standby there: every statement crosses the zones.',
    ]);
    expect(rds.aws.requests.every(({ action }) => action === 'DescribeDBInstances')).toBe(true);
  });

  it('is marked when the failover does not bring it there', async () => {
    const { caveats } = await examine(rdsWithInstance(away), { binding }).examined;
    expect(caveats[0]).toMatch(/did not come there by a failover/);
  });
});

describe('a Multi-AZ cluster', () => {
  const binding: VariantBinding = {
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
    await expect(examine(rds, { binding }).examined).rejects.toThrow(/there is no such cluster/);
  });
});
