import type { DatabaseResource } from '../../deployments/deployment.ts';
import { proxyOf } from '../../deployments/proxy.ts';
import { deploymentsOf } from '../../deployments/registry.ts';
import type { DeployableExperiment } from '../deployable.ts';

/** The types of resources in the templates of all experiments together. */
export type ResourceType =
  | 'AWS::CloudFormation::WaitCondition'
  | 'AWS::CloudFormation::WaitConditionHandle'
  | 'AWS::CloudWatch::Dashboard'
  | `AWS::EC2::${'Instance' | 'InternetGateway' | 'LaunchTemplate' | 'Route' | 'RouteTable' | 'SecurityGroup'}`
  | `AWS::EC2::${'SecurityGroupEgress' | 'SecurityGroupIngress' | 'Subnet' | 'SubnetRouteTableAssociation'}`
  | `AWS::EC2::${'VPC' | 'VPCEndpoint' | 'VPCGatewayAttachment'}`
  | `AWS::IAM::${'InstanceProfile' | 'Policy' | 'Role'}`
  | 'AWS::Logs::LogGroup'
  | DatabaseResource
  | `AWS::RDS::${'DBProxy' | 'DBProxyTargetGroup' | 'DBSubnetGroup'}`
  | `AWS::SNS::${'Subscription' | 'Topic' | 'TopicPolicy'}`
  | 'AWS::SSM::Parameter'
  | 'AWS::Scheduler::Schedule'
  | 'AWS::SecretsManager::Secret'
  | 'AWS::StepFunctions::StateMachine';

const always: readonly ResourceType[] = [
  'AWS::CloudFormation::WaitCondition',
  'AWS::CloudFormation::WaitConditionHandle',
  'AWS::CloudWatch::Dashboard',
  'AWS::EC2::Instance',
  'AWS::EC2::LaunchTemplate',
  'AWS::EC2::SecurityGroup',
  'AWS::EC2::SecurityGroupEgress',
  'AWS::EC2::SecurityGroupIngress',
  'AWS::IAM::InstanceProfile',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Logs::LogGroup',
  'AWS::RDS::DBSubnetGroup',
  'AWS::SSM::Parameter',
];

const ownVpc: readonly ResourceType[] = [
  'AWS::EC2::RouteTable',
  'AWS::EC2::Subnet',
  'AWS::EC2::SubnetRouteTableAssociation',
  'AWS::EC2::VPC',
];

const network: Readonly<Record<DeployableExperiment['network']['mode'], readonly ResourceType[]>> = {
  'public-driver': [...ownVpc, 'AWS::EC2::InternetGateway', 'AWS::EC2::Route', 'AWS::EC2::VPCGatewayAttachment'],
  private: [...ownVpc, 'AWS::EC2::VPCEndpoint'],
  existing: [],
};

/** The types of resources in the experiment's template. A test compares them with the templates themselves. */
export function resourceTypesOf(experiment: DeployableExperiment): ReadonlySet<ResourceType> {
  const { notify, credentials } = experiment;
  return new Set<ResourceType>([
    ...always,
    ...network[experiment.network.mode],
    ...deploymentsOf(experiment.variants).flatMap(({ resourceTypes }) => resourceTypes),
    ...(Object.values(experiment.variants).some((variant) => proxyOf(variant) !== null)
      ? (['AWS::RDS::DBProxy', 'AWS::RDS::DBProxyTargetGroup'] as const)
      : []),
    ...(credentials.kind === 'generated' ? (['AWS::SecretsManager::Secret'] as const) : []),
    ...(deletesItself(experiment) ? (['AWS::Scheduler::Schedule', 'AWS::StepFunctions::StateMachine'] as const) : []),
    ...(notify && 'email' in notify
      ? (['AWS::SNS::Subscription', 'AWS::SNS::Topic', 'AWS::SNS::TopicPolicy'] as const)
      : []),
  ]);
}

function deletesItself({ whenDone, expiry }: DeployableExperiment): boolean {
  return whenDone === 'destroy' || expiry.kind === 'after';
}
