import { describe, expect, it } from 'vitest';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import { experimentStack, project, synthesize } from '../helpers/synthesize.ts';

const deployments = `${project}/test/fixtures/experiments/deployments.yaml`;
const arn = 'arn:aws:rds:us-east-1:123456789012:snapshot:pgduet-deployments-alice-20261121-064459';

function restoring(snapshot: string) {
  return (experiment: Experiment): Experiment => ({ ...experiment, data: { keep: false, snapshot } });
}

describe('variants that are restored from a snapshot', () => {
  const { resources, only } = synthesize(experimentStack(deployments, { change: restoring(arn) }));
  const loaded = synthesize(experimentStack(deployments));
  const instances = Object.entries(resources('AWS::RDS::DBInstance'));

  it('leave out what comes with it, which CloudFormation would refuse, and change nothing else', () => {
    expect(instances).toHaveLength(2);
    for (const [id, { Properties }] of instances) {
      const { DBName, MasterUsername, StorageEncrypted, ...rest } =
        loaded.resources('AWS::RDS::DBInstance')[id]?.Properties ?? {};
      expect([DBName, StorageEncrypted]).toEqual(['pgduet', true]);
      expect(MasterUsername).toBeDefined();
      expect(Properties).toEqual({ ...rest, DBSnapshotIdentifier: arn });
    }
    const { DatabaseName, MasterUsername, StorageEncrypted, ...rest } = loaded.only('AWS::RDS::DBCluster').Properties;
    expect([DatabaseName, StorageEncrypted]).toEqual(['pgduet', true]);
    expect(MasterUsername).toBeDefined();
    expect(only('AWS::RDS::DBCluster').Properties).toEqual({ ...rest, SnapshotIdentifier: arn });
  });

  it('get the password of this stack: nobody knows that of the one before', () => {
    for (const { Properties } of [...instances.map(([, instance]) => instance), only('AWS::RDS::DBCluster')]) {
      expect(JSON.stringify(Properties['MasterUserPassword'])).toContain('resolve:secretsmanager');
    }
  });

  it('take a snapshot of a Multi-AZ cluster by its own property where they are instances', () => {
    const clusterSnapshot = arn.replace(':snapshot:', ':cluster-snapshot:');
    const stack = synthesize(experimentStack('dlv-pgbench', { change: restoring(clusterSnapshot) }));
    for (const { Properties } of Object.values(stack.resources('AWS::RDS::DBInstance'))) {
      expect(Properties).toMatchObject({ DBClusterSnapshotIdentifier: clusterSnapshot });
      expect(Properties).not.toHaveProperty('DBSnapshotIdentifier');
    }
  });

  it('need its ARN where both kinds are among them, as a name finds only one kind', () => {
    expect(() => experimentStack(deployments, { change: restoring('kept') })).toThrow(
      'data.snapshot is kept: with both instances and Multi-AZ clusters, name the snapshot by its ARN',
    );
    expect(() => experimentStack('dlv-pgbench', { change: restoring('kept') })).not.toThrow();
  });
});
