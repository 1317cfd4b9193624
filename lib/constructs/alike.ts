import { EngineLifecycleSupport } from 'aws-cdk-lib/aws-rds';
import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import type { VariantProps } from './variant-props.ts';

/** Properties that the library's construct of an instance and the resource of a cluster call the same. */
export function alike({ windows }: VariantProps) {
  return {
    publiclyAccessible: false,
    autoMinorVersionUpgrade: false,
    engineLifecycleSupport: EngineLifecycleSupport.OPEN_SOURCE_RDS_EXTENDED_SUPPORT_DISABLED,
    preferredBackupWindow: windows.backup,
    preferredMaintenanceWindow: windows.maintenance,
    copyTagsToSnapshot: true,
    deleteAutomatedBackups: true,
    deletionProtection: false,
  };
}

/** What Database Insights records of every database, by CloudFormation's names; nothing if it is off. */
export function insightsOf({ experiment: { monitoring, encryption } }: VariantProps) {
  const { databaseInsights: insights } = monitoring;
  if (insights.mode === 'off') return {};
  return {
    performanceInsightsEnabled: true,
    databaseInsightsMode: insights.mode,
    performanceInsightsKmsKeyId: encryption?.kmsKeyArn,
    // The only retention that the advanced mode allows.
    performanceInsightsRetentionPeriod: insights.mode === 'advanced' ? 465 : insights.retentionDays,
  };
}

/** Accepts what cdk-nag finds in every database. */
export function acknowledge(database: IConstruct, ...own: { id: string; reason: string }[]): void {
  Validations.of(database).acknowledge(
    ...own,
    {
      id: 'AwsSolutions-RDS10',
      reason: 'The stack is made to be destroyed, and its data was loaded or restored for it alone.',
    },
    {
      id: 'AwsSolutions-RDS11',
      reason: 'Only the driver’s security group reaches the port; another port would hide nothing.',
    },
  );
}

/** Encryption comes with a snapshot, as do database and user. The template must not set them, too. */
export function restored(database: IConstruct, ...own: { id: string; reason: string }[]): void {
  Validations.of(database).acknowledge(
    {
      id: 'AwsSolutions-RDS2',
      reason: 'Encryption comes with the snapshot: those of pgduet are encrypted, and users decide about their own.',
    },
    ...own,
  );
}
