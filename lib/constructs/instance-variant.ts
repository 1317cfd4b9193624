import { Duration } from 'aws-cdk-lib';
import { InstanceType } from 'aws-cdk-lib/aws-ec2';
import {
  type CfnDBInstance,
  Credentials,
  DatabaseInstance,
  DatabaseInstanceEngine,
  PostgresEngineVersion,
  StorageType,
} from 'aws-cdk-lib/aws-rds';
import type { Construct } from 'constructs';
import { hasLogVolume } from '../../runner/contract/log-volume.ts';
import { isClusterSnapshot, restoredSnapshot } from '../../runner/rds/deploy/snapshots.ts';
import { deploymentOf } from '../../runner/rds/deployments/registry.ts';
import { acknowledge, alike, insightsOf, restored } from './alike.ts';
import { databaseName, type VariantProps } from './variant-props.ts';

/** A Single-AZ or Multi-AZ instance, with or without a dedicated log volume. */
export function instanceVariant(scope: Construct, id: string, props: VariantProps): DatabaseInstance {
  const { variant, experiment, network, credentials, monitoringRole } = props;
  const { storage, engine } = variant;
  const { enhancedMonitoringSeconds } = experiment.monitoring;
  const { multiAz } = deploymentOf(variant);
  const database = new DatabaseInstance(scope, id, {
    instanceIdentifier: props.identifier,
    engine: DatabaseInstanceEngine.postgres({ version: PostgresEngineVersion.of(engine.version, `${engine.major}`) }),
    instanceType: new InstanceType(variant.class.replace(/^db\./, '')),
    databaseName,
    credentials: Credentials.fromPassword(credentials.username.unsafeUnwrap(), credentials.password),
    parameterGroup: props.parameters,

    storageType: { io1: StorageType.IO1, io2: StorageType.IO2, gp3: StorageType.GP3 }[storage.type],
    allocatedStorage: storage.sizeGib,
    ...(storage.iops === undefined ? {} : { iops: storage.iops }),
    ...(storage.type === 'gp3' && storage.throughputMibps !== undefined
      ? { storageThroughput: storage.throughputMibps }
      : {}),
    storageEncrypted: true,

    vpc: network.vpc,
    subnetGroup: network.databaseSubnets,
    securityGroups: [network.databaseSecurityGroup],
    multiAz,
    // RDS refuses a zone together with Multi-AZ.
    ...(multiAz ? {} : { availabilityZone: network.availabilityZone }),

    ...(monitoringRole
      ? { monitoringInterval: Duration.seconds(enhancedMonitoringSeconds), monitoringRole: monitoringRole.role }
      : {}),
    cloudwatchLogsExports: ['postgresql'],

    allowMajorVersionUpgrade: false,
    backupRetention: Duration.days(experiment.backups.retentionDays),
    ...alike(props),
    removalPolicy: props.removalPolicy,
  });
  // The library's construct has no property for a dedicated log volume, and allows too few values for the retention of Insights.
  const resource = database.node.defaultChild as CfnDBInstance;
  resource.dedicatedLogVolume = hasLogVolume(variant);
  resource.kmsKeyId = experiment.encryption?.kmsKeyArn;
  const { performanceInsightsEnabled, ...insights } = insightsOf(props);
  Object.assign(resource, insights, performanceInsightsEnabled && { enablePerformanceInsights: true });
  const snapshot = restoredSnapshot(experiment);
  if (snapshot !== undefined) restoreFrom(snapshot, database);
  acknowledge(database, {
    id: 'AwsSolutions-RDS3',
    reason: 'The experiment chooses and compares Single-AZ and Multi-AZ.',
  });
  return database;
}

/**
 * Makes RDS restore the instance. Database, user and encryption come with the snapshot, and CloudFormation refuses them
 * together with one. RestoreDBInstanceFromDBSnapshot does not accept the password, parameter group and some others.
 * CloudFormation sets these by modifying the restored instance, and reboots it, so that the parameters are in force.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-rds-dbinstance.html
 * @see https://github.com/aws-cloudformation/aws-cloudformation-resource-providers-rds for what happens after restoring
 */
function restoreFrom(snapshot: string, database: DatabaseInstance): void {
  const resource = database.node.defaultChild as CfnDBInstance;
  if (isClusterSnapshot(snapshot)) resource.dbClusterSnapshotIdentifier = snapshot;
  else resource.dbSnapshotIdentifier = snapshot;
  resource.dbName = undefined;
  resource.masterUsername = undefined;
  resource.storageEncrypted = undefined;
  resource.kmsKeyId = undefined;
  restored(database);
}
