import type { IParameterGroup } from 'aws-cdk-lib/aws-rds';
import type { Construct, IConstruct } from 'constructs';
import { clusterVariant } from './cluster-variant.ts';
import { instanceVariant } from './instance-variant.ts';
import type { VariantProps } from './variant-props.ts';

/** What a stack has for one kind of database. */
interface DatabaseConstructs {
  make: (scope: Construct, id: string, props: VariantProps) => IConstruct;
  /** Makes the parameter group as this kind needs it, and returns its name. */
  nameOf: (group: IParameterGroup) => string;
}

/** The constructs of every kind of deployment (runner/rds/deployments/). */
export const constructs: Readonly<Record<string, DatabaseConstructs>> = {
  instance: { make: instanceVariant, nameOf: (group) => group.bindToInstance({}).parameterGroupName },
  cluster: { make: clusterVariant, nameOf: (group) => group.bindToCluster({}).parameterGroupName },
};
