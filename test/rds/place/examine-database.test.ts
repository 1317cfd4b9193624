import { describe, expect, it } from 'vitest';
import { storageWork } from '../../../runner/rds/place/judge-database.ts';
import { xmlError } from '../../helpers/fakes/fake-aws.ts';
import { boundInstance, rdsInstance, rdsWithInstance } from '../../helpers/fakes/fake-rds.ts';
import { examine } from '../../helpers/samples/examined-database.ts';

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
      databaseInsights: 'off',
    });
    expect(caveats).toEqual([]);
    expect(pauses).toEqual([]);
  });

  it('is refused at once when it is missing', async () => {
    const { examined, pauses } = examine(rdsWithInstance(null));
    await expect(examined).rejects.toThrow(
      'Variant with-dlv (alice-dlv-with-dlv): instance not found. Was the stack changed or destroyed?',
    );
    expect(pauses).toEqual([]);
  });

  it('is waited for while it is created and backed up', async () => {
    const creating = rdsInstance({ DBInstanceStatus: 'creating' });
    const backingUp = rdsInstance({ DBInstanceStatus: 'backing-up' });
    const { examined, pauses, printed } = examine(rdsWithInstance(creating, creating, backingUp, rdsInstance()));
    await examined;
    expect(pauses).toEqual([15, 15, 15]);
    expect(printed).toEqual([
      'Variant with-dlv (alice-dlv-with-dlv): waiting since 2026-11-21 12:00 UTC: creating',
      'Variant with-dlv (alice-dlv-with-dlv): waiting since 2026-11-21 12:00 UTC: backing-up',
      'Variant with-dlv (alice-dlv-with-dlv): ready',
    ]);
  });

  it('is waited for while RDS works on its volumes, beyond the limit of everything else, and says how far that is', async () => {
    const initialising = (percent: number): Record<string, unknown> =>
      rdsInstance({ StorageOperationStatus: 'Initializing', StorageOperationPercentProgress: percent });
    const rds = rdsWithInstance(...Array.from({ length: 50 }, (_, look) => initialising(look)), rdsInstance());
    const { examined, pauses, printed } = examine(rds, { limitSeconds: 300 });
    await examined;
    expect(pauses).toHaveLength(50);
    expect(printed[40]).toBe(
      'Variant with-dlv (alice-dlv-with-dlv): waiting since 2026-11-21 12:10 UTC: storage initializing, 40% done',
    );
  });

  it('is not waited for when the work on its volumes may end later, which its state shows', async () => {
    const optimising = rdsInstance({ StorageOperationStatus: 'Optimizing', DBInstanceStatus: 'storage-optimization' });
    const { examined, pauses } = examine(rdsWithInstance(optimising), { untilStorageRests: false });
    expect(storageWork((await examined).state)).toEqual(['storage-optimization', 'storage optimizing']);
    expect(pauses).toEqual([]);
  });

  it('is given up when it is still being created after the limit', async () => {
    const { examined } = examine(rdsWithInstance(rdsInstance({ DBInstanceStatus: 'creating' })), { limitSeconds: 300 });
    await expect(examined).rejects.toThrow(
      'Variant with-dlv (alice-dlv-with-dlv) was still not ready after 5 minutes: creating.',
    );
  });

  it('is refused at once when its storage is full', async () => {
    const { examined, pauses } = examine(rdsWithInstance(rdsInstance({ DBInstanceStatus: 'storage-full' })));
    await expect(examined).rejects.toThrow(/is storage-full: its data volume or log volume is full/);
    expect(pauses).toEqual([]);
  });

  const unapplied = [{ DBParameterGroupName: 'alice-group', ParameterApplyStatus: 'pending-reboot' }];
  it.each([
    ['without the log volume that was asked for', { DedicatedLogVolume: false }, true, 'has no dedicated log volume'],
    [
      'with a log volume that nobody asked for',
      {},
      false,
      'has a dedicated log volume, but the experiment does not ask',
    ],
    ['in mid-run when its parameters wait for a reboot', { DBParameterGroups: unapplied }, true, '(pending-reboot)'],
    ['in another zone than the driver’s', { AvailabilityZone: 'us-east-1a' }, true, 'has zone us-east-1a instead of'],
  ])('is refused %s', async (_, found, dedicatedLogVolume, message) => {
    const binding = boundInstance({ dedicatedLogVolume });
    await expect(examine(rdsWithInstance(rdsInstance(found)), { binding }).examined).rejects.toThrow(message);
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
      'Variant with-dlv (alice-dlv-with-dlv) has instance class db.r6g.xlarge instead of db.r6g.large.',
      'Variant with-dlv (alice-dlv-with-dlv) has engine version 16.14 instead of 16.15.',
      'Variant with-dlv (alice-dlv-with-dlv) has IOPS 1000 instead of 3000.',
    ]);
  });

  it('is found in spite of throttling, by the SDK and between its tries', async () => {
    const throttled = xmlError('Throttling', 'Rate exceeded');
    const rds = rdsWithInstance(throttled, throttled, throttled, throttled, rdsInstance());
    const { examined, pauses, printed } = examine(rds);
    await examined;
    expect(rds.aws.requests).toHaveLength(5);
    expect(pauses).toEqual([15, 15]);
    expect(printed[0]).toMatch(/waiting since .*: rds:DescribeDBInstances of alice-dlv-with-dlv was throttled/);
  });

  it('says which permission is missing', async () => {
    const denied = xmlError(
      'AccessDenied',
      'User: driver is not authorized to perform: rds:DescribeDBInstances on resource: alice-dlv-with-dlv',
      403,
    );
    await expect(examine(rdsWithInstance(denied)).examined).rejects.toThrow(
      /rds:DescribeDBInstances of alice-dlv-with-dlv was denied: .*not authorized/,
    );
  });
});
