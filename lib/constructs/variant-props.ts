import type { RemovalPolicy } from 'aws-cdk-lib';
import type { IParameterGroup } from 'aws-cdk-lib/aws-rds';
import type { DeployableExperiment, DeployableVariant } from '../../runner/rds/deploy/deployable.ts';
import type { MasterCredentials } from './credentials.ts';
import type { MonitoringRole } from './monitoring-role.ts';
import type { Network } from './network.ts';

export const databaseName = 'pgduet';

export interface DatabasesProps {
  readonly experiment: DeployableExperiment;
  /** Part of every identifier; may be a CDK token. */
  readonly owner: string;
  readonly network: Network;
  readonly credentials: MasterCredentials;
  /** Windows of half an hour in UTC, the same for every variant. */
  readonly windows: { readonly backup: string; readonly maintenance: string };
}

/** What is needed to make the database of a variant. Variants differ only in what the experiment varies. */
export interface VariantProps extends DatabasesProps {
  readonly variant: DeployableVariant;
  readonly identifier: string;
  readonly parameters: IParameterGroup;
  readonly monitoringRole: MonitoringRole | undefined;
  readonly removalPolicy: RemovalPolicy;
}
