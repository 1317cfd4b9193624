import { CfnDBCluster } from 'aws-cdk-lib/aws-rds';
import type { Construct } from 'constructs';
import { restoredSnapshot } from '../../runner/rds/deploy/snapshots.ts';
import { acknowledge, alike, insightsOf, restored } from './alike.ts';
import { databaseName, type VariantProps } from './variant-props.ts';
import { postgresPort } from './network.ts';

/**
 * A Multi-AZ DB cluster: RDS itself makes a writer and two readable standbys. The library's own construct refuses this
 * kind of cluster, so the CloudFormation resource is used directly.
 */
export function clusterVariant(scope: Construct, id: string, props: VariantProps): CfnDBCluster {
  const { variant, experiment, network, credentials, monitoringRole } = props;
  const { storage } = variant;
  const { enhancedMonitoringSeconds } = experiment.monitoring;
  const cluster = new CfnDBCluster(scope, id, {
    dbClusterIdentifier: props.identifier,
    engine: 'postgres',
    engineVersion: variant.engine.version,
    dbClusterInstanceClass: variant.class,
    databaseName,
    port: postgresPort,
    masterUsername: credentials.username.unsafeUnwrap(),
    masterUserPassword: credentials.password.unsafeUnwrap(),
    dbClusterParameterGroupName: props.parameters.bindToCluster({}).parameterGroupName,

    storageType: storage.type,
    allocatedStorage: storage.sizeGib,
    ...(storage.iops === undefined ? {} : { iops: storage.iops }),
    storageEncrypted: true,
    kmsKeyId: experiment.encryption?.kmsKeyArn,

    dbSubnetGroupName: network.databaseSubnets.subnetGroupName,
    vpcSecurityGroupIds: [network.databaseSecurityGroup.securityGroupId],

    ...(monitoringRole
      ? { monitoringInterval: enhancedMonitoringSeconds, monitoringRoleArn: monitoringRole.role.roleArn }
      : {}),
    ...insightsOf(props),
    enableCloudwatchLogsExports: ['postgresql'],

    backupRetentionPeriod: experiment.backups.retentionDays,
    ...alike(props),
  });
  const snapshot = restoredSnapshot(experiment);
  if (snapshot !== undefined) {
    // As with instances: the template must not set what comes with the snapshot, and CloudFormation sets the rest
    // afterwards.
    cluster.snapshotIdentifier = snapshot;
    cluster.databaseName = undefined;
    cluster.masterUsername = undefined;
    cluster.storageEncrypted = undefined;
    cluster.kmsKeyId = undefined;
    restored(cluster, {
      id: 'CloudFormation-Validate::F3021',
      reason: 'The user comes with the snapshot. CloudFormation sets the password when the cluster is restored.',
    });
  }
  cluster.applyRemovalPolicy(props.removalPolicy);
  acknowledge(cluster, {
    id: 'AwsSolutions-RDS6',
    reason: 'RDS has no IAM authentication for Multi-AZ DB clusters.',
  });
  return cluster;
}
