import { describe, expect, it } from 'vitest';
import { xmlAnswer } from '../../helpers/fakes/fake-aws.ts';
import { boundInstance, fakeRds, type FakeRds, rdsInstance, rdsWithInstance } from '../../helpers/fakes/fake-rds.ts';
import { examine } from '../../helpers/samples/examined-database.ts';

function withGroup(status: string, changes: object = {}): Record<string, unknown> {
  return rdsInstance({
    DBParameterGroups: [{ DBParameterGroupName: 'alice-group', ParameterApplyStatus: status }],
    ...changes,
  });
}
const reboots = ({ aws }: FakeRds): object[] =>
  aws.requests.flatMap(({ action, input }) => (/^Reboot/.test(action) ? [{ action, ...(input as object) }] : []));

describe('a database whose parameter group waits for a reboot, before the run', () => {
  it('is rebooted once, and waited for', async () => {
    const rds = rdsWithInstance(
      withGroup('pending-reboot'),
      // RDS shows the reboot a moment later.
      withGroup('pending-reboot'),
      withGroup('pending-reboot', { DBInstanceStatus: 'rebooting' }),
      withGroup('in-sync'),
    );
    const { examined, printed } = examine(rds, { mayReboot: true });
    expect(await examined).toMatchObject({ rebooted: true, state: { parameterStatuses: ['in-sync'] } });
    expect(reboots(rds)).toEqual([
      expect.objectContaining({ action: 'RebootDBInstance', DBInstanceIdentifier: 'alice-dlv-with-dlv' }),
    ]);
    expect(printed[0]).toMatch(/its parameter group needs a reboot; rebooting once/);
  });

  it('is not rebooted again if that did not help, but refused', async () => {
    const rds = rdsWithInstance(withGroup('pending-reboot'));
    await expect(examine(rds, { mayReboot: true }).examined).rejects.toThrow(
      'Variant with-dlv (alice-dlv-with-dlv) has not applied its parameter group (pending-reboot)',
    );
    expect(reboots(rds)).toHaveLength(1);
  });

  it('is left alone in mid-run, and where the group is in force', async () => {
    const rds = rdsWithInstance(withGroup('pending-reboot'));
    await expect(examine(rds).examined).rejects.toThrow(/has not applied its parameter group/);
    const inForce = rdsWithInstance(withGroup('in-sync'));
    expect(await examine(inForce, { mayReboot: true }).examined).toMatchObject({ rebooted: false });
    expect([...reboots(rds), ...reboots(inForce)]).toEqual([]);
  });

  it('is rebooted without a failover where it has a standby, and then brought to the driver’s zone', async () => {
    const zones = { MultiAZ: true, AvailabilityZone: 'us-east-1a', SecondaryAvailabilityZone: 'us-east-1b' };
    const home = { MultiAZ: true, AvailabilityZone: 'us-east-1b', SecondaryAvailabilityZone: 'us-east-1a' };
    const rds = rdsWithInstance(
      withGroup('pending-reboot', zones),
      withGroup('in-sync', zones),
      withGroup('in-sync', home),
    );
    await examine(rds, { binding: boundInstance({ multiAz: true }), mayReboot: true }).examined;
    expect(reboots(rds).map((request) => 'ForceFailover' in request)).toEqual([false, true]);
  });

  it('is rebooted as a whole where it is a cluster', async () => {
    let rebooted = false;
    const member = (id: string): object => ({
      DBInstanceIdentifier: id,
      IsClusterWriter: true,
      DBClusterParameterGroupStatus: rebooted ? 'in-sync' : 'pending-reboot',
    });
    const rds = fakeRds(({ action }) => {
      if (action === 'RebootDBCluster') rebooted = true;
      if (action === 'DescribeDBInstances') return xmlAnswer(action, { DBInstances: [rdsInstance()] });
      const { DBInstanceClass, ...common } = rdsInstance({ MultiAZ: true, Status: 'available', Port: 5432 });
      const cluster = {
        ...common,
        Endpoint: 'alice-cluster.rds.amazonaws.com',
        DBClusterInstanceClass: DBInstanceClass,
        DBClusterParameterGroup: 'alice-group',
        DBClusterMembers: [member('alice-cluster-instance-1')],
      };
      return xmlAnswer(action, { DBClusters: [cluster] });
    });
    const binding = { ...boundInstance({ multiAz: true, dedicatedLogVolume: false }), kind: 'cluster' as const };
    expect(await examine(rds, { binding, mayReboot: true }).examined).toMatchObject({ rebooted: true });
    expect(reboots(rds)).toEqual([
      expect.objectContaining({ action: 'RebootDBCluster', DBClusterIdentifier: binding.identifier }),
    ]);
  });
});
