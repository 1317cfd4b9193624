import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ExperimentResources, type ExperimentResourcesProps } from './constructs/experiment-resources.ts';

/** A stack of its own for an experiment that is loaded. */
export class LoadedExperimentStack extends Stack {
  readonly driverPermissions: ExperimentResources['driverPermissions'];

  constructor(scope: Construct, id: string, props: Omit<ExperimentResourcesProps, 'ownsStack'> & StackProps) {
    super(scope, id, props);
    this.driverPermissions = ownResources(this, props).driverPermissions;
  }
}

/** The CDK leaves this id out of logical ids: guides and messages name the parameters of a stack without it. */
export function ownResources(stack: Stack, props: Omit<ExperimentResourcesProps, 'ownsStack'>): ExperimentResources {
  return new ExperimentResources(stack, 'Default', { ...props, ownsStack: true });
}
