import { CfnDBCluster, EngineLifecycleSupport } from 'aws-cdk-lib/aws-rds';
import { Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { restoredSnapshot } from '../../runner/rds/deploy/snapshots.ts';
import { advancedInsightsDays, databaseName, type VariantProps } from './variant-props.ts';
import { postgresPort } from './network.ts';

/**
 * A Multi-AZ DB cluster: RDS itself makes a writer and two readable standbys. The library's own construct refuses this
 * kind of cluster, so the CloudFormation resource is used directly.
 */
export function clusterVariant(scope: Construct, id: string, props: VariantProps): CfnDBCluster {
  const { variant, experiment, network, credentials, windows, monitoringRole } = props;
  const { storage } = variant;
  const { enhancedMonitoringSeconds, databaseInsights } = experiment.monitoring;
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
    publiclyAccessible: false,

    ...(monitoringRole
      ? { monitoringInterval: enhancedMonitoringSeconds, monitoringRoleArn: monitoringRole.role.roleArn }
      : {}),
    ...(databaseInsights.mode === 'off'
      ? {}
      : {
          performanceInsightsEnabled: true,
          performanceInsightsKmsKeyId: experiment.encryption?.kmsKeyArn,
          performanceInsightsRetentionPeriod:
            databaseInsights.mode === 'advanced' ? advancedInsightsDays : databaseInsights.retentionDays,
          databaseInsightsMode: databaseInsights.mode,
        }),
    enableCloudwatchLogsExports: ['postgresql'],

    autoMinorVersionUpgrade: false,
    engineLifecycleSupport: EngineLifecycleSupport.OPEN_SOURCE_RDS_EXTENDED_SUPPORT_DISABLED,
    backupRetentionPeriod: experiment.backups.retentionDays,
    preferredBackupWindow: windows.backup,
    preferredMaintenanceWindow: windows.maintenance,
    copyTagsToSnapshot: true,
    deleteAutomatedBackups: true,
    deletionProtection: false,
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
    Validations.of(cluster).acknowledge(
      {
        id: 'AwsSolutions-RDS2',
        reason: 'Encryption comes with the snapshot: those of pgduet are encrypted, and users decide about their own.',
      },
      {
        id: 'CloudFormation-Validate::F3021',
        reason: 'The user comes with the snapshot. CloudFormation sets the password when the cluster is restored.',
      },
    );
  }
  cluster.applyRemovalPolicy(props.removalPolicy);
  Validations.of(cluster).acknowledge(
    { id: 'AwsSolutions-RDS6', reason: 'RDS has no IAM authentication for Multi-AZ DB clusters.' },
    {
      id: 'AwsSolutions-RDS10',
      reason: 'The stack is made to be destroyed, and its data was loaded or restored for it alone.',
    },
    {
      id: 'AwsSolutions-RDS11',
      reason: 'Only the driver’s security group reaches the port; another port would hide nothing.',
    },
  );
  return cluster;
}
