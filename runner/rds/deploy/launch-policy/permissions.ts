import type { ResourceType } from './resource-types.ts';

/** What a statement of the policy is about: the resources that its actions reach. */
export type PermissionScope =
  | 'anything'
  | 'newInEc2'
  | 'tagging'
  | 'tagged'
  | 'roles'
  | 'monitoringPolicy'
  | 'passedRoles'
  | 'instanceProfiles'
  | 'serviceRole'
  | 'databases'
  | 'proxies'
  | 'logs'
  | 'secrets'
  | 'givenSecret'
  | 'key'
  | 'parameters'
  | 'readParameters'
  | 'dashboards'
  | 'deletion'
  | 'topics';

type Actions = Partial<Record<PermissionScope, readonly string[]>>;

const ec2 = (...what: string[]): string[] => what.map((one) => `ec2:${one}`);
const rds = (...what: string[]): string[] => what.map((one) => `rds:${one}`);

/** RDS makes its service-linked role with the rights of the caller, when it is first used in an account. */
const linked: Actions = { serviceRole: ['iam:CreateServiceLinkedRole'] };
const rolePolicy = ['iam:PutRolePolicy', 'iam:GetRolePolicy', 'iam:DeleteRolePolicy'];
const rolePassing: Actions = { passedRoles: ['iam:PassRole'] };
const tagging: Actions = { tagging: ec2('CreateTags') };

/** Reading what there is in EC2 and RDS, and which log groups. Named one by one, it would fill a third of a policy. */
export const readAnything = ['ec2:Describe*', 'logs:Describe*', 'rds:Describe*'];

/**
 * What CloudFormation calls to make, change, read, tag and delete a resource of each type, with the properties that our
 * templates set. EC2 chooses the ids of what it makes, and may tag it only afterwards. So what is done while a resource
 * is being made is allowed for all of EC2 in the Region (`newInEc2`), and what is only done later needs our tags
 * (`tagged`). Tags reach what has none of these two, but nothing that carries those of another stack (`tagging`). A wildcard stands for verbs that are needed of a kind of resource with names of ours, since IAM counts every
 * character.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/ for actions, and what each depends on
 */
export const permissions: Readonly<Record<ResourceType, Actions>> = {
  'AWS::CloudFormation::WaitCondition': {},
  'AWS::CloudFormation::WaitConditionHandle': {},
  'AWS::CloudWatch::Dashboard': {
    dashboards: ['cloudwatch:*Dashboard*'],
    // Stack tags reach every type that can carry them; IAM knows no dashboard as a resource of these actions.
    anything: ['TagResource', 'UntagResource', 'ListTagsForResource'].map((one) => `cloudwatch:${one}`),
  },
  'AWS::EC2::Instance': {
    newInEc2: ec2('RunInstances', 'MonitorInstances'),
    ...tagging,
    tagged: ec2('TerminateInstances'),
    anything: ['ssm:DescribeAssociation', 'ssm:ListAssociations'],
    // EC2 looks up the image, which the launch template names by a public parameter.
    readParameters: ['ssm:GetParameters'],
    ...rolePassing,
  },
  'AWS::EC2::InternetGateway': {
    newInEc2: ec2('CreateInternetGateway'),
    ...tagging,
    tagged: ec2('DeleteInternetGateway'),
  },
  // The template cannot tag it, and its handler removes tags before it deletes it.
  'AWS::EC2::LaunchTemplate': {
    newInEc2: ec2('CreateLaunchTemplate', 'CreateLaunchTemplateVersion', 'DeleteLaunchTemplate'),
    tagging: ec2('CreateTags', 'DeleteTags'),
  },
  'AWS::EC2::Route': {
    newInEc2: ec2('CreateRoute'),
    tagged: ec2('DeleteRoute'),
  },
  'AWS::EC2::RouteTable': {
    newInEc2: ec2('CreateRouteTable'),
    ...tagging,
    tagged: ec2('DeleteRouteTable'),
  },
  'AWS::EC2::SecurityGroup': {
    newInEc2: ec2(
      ...['CreateSecurityGroup', 'AuthorizeSecurityGroupEgress', 'AuthorizeSecurityGroupIngress'],
      'RevokeSecurityGroupEgress',
    ),
    ...tagging,
    tagged: ec2('DeleteSecurityGroup', 'RevokeSecurityGroupIngress'),
  },
  'AWS::EC2::SecurityGroupEgress': {
    newInEc2: ec2('AuthorizeSecurityGroupEgress', 'RevokeSecurityGroupEgress'),
  },
  'AWS::EC2::SecurityGroupIngress': {
    newInEc2: ec2('AuthorizeSecurityGroupIngress'),
    tagged: ec2('RevokeSecurityGroupIngress'),
  },
  'AWS::EC2::Subnet': {
    newInEc2: ec2('CreateSubnet', 'ModifySubnetAttribute'),
    ...tagging,
    tagged: ec2('DeleteSubnet'),
  },
  'AWS::EC2::SubnetRouteTableAssociation': {
    newInEc2: ec2('AssociateRouteTable', 'ReplaceRouteTableAssociation'),
    tagged: ec2('DisassociateRouteTable'),
  },
  'AWS::EC2::VPC': {
    newInEc2: ec2('CreateVpc', 'ModifyVpcAttribute'),
    ...tagging,
    tagged: ec2('DeleteVpc'),
  },
  'AWS::EC2::VPCEndpoint': {
    newInEc2: ec2('CreateVpcEndpoint'),
    ...tagging,
    tagged: ec2('ModifyVpcEndpoint', 'DeleteVpcEndpoints'),
    // EC2 keeps the private names of an endpoint in a hosted zone of its own, whose id nobody knows before.
    anything: ['route53:AssociateVPCWithHostedZone'],
  },
  'AWS::EC2::VPCGatewayAttachment': {
    newInEc2: ec2('AttachInternetGateway'),
    tagged: ec2('DetachInternetGateway'),
  },
  'AWS::IAM::InstanceProfile': {
    instanceProfiles: [
      ...['CreateInstanceProfile', 'GetInstanceProfile', 'DeleteInstanceProfile'],
      ...['AddRoleToInstanceProfile', 'RemoveRoleFromInstanceProfile'],
    ].map((one) => `iam:${one}`),
    ...rolePassing,
  },
  'AWS::IAM::Policy': { roles: rolePolicy },
  'AWS::IAM::Role': {
    roles: [
      ...rolePolicy,
      ...['CreateRole', 'GetRole', 'DeleteRole', 'UpdateRole*', 'UpdateAssumeRolePolicy'].map((one) => `iam:${one}`),
      ...['ListAttachedRolePolicies', 'ListRolePolicies', 'TagRole', 'UntagRole'].map((one) => `iam:${one}`),
    ],
    monitoringPolicy: ['iam:AttachRolePolicy', 'iam:DetachRolePolicy'],
  },
  'AWS::Logs::LogGroup': {
    logs: [
      ...['CreateLogGroup', 'DeleteLogGroup', 'PutRetentionPolicy', 'DeleteRetentionPolicy'],
      ...['*DataProtectionPolicy'],
      ...['TagResource', 'UntagResource', 'ListTagsForResource'],
    ].map((one) => `logs:${one}`),
  },
  'AWS::RDS::DBCluster': {
    // RDS makes, changes and deletes the members of a Multi-AZ cluster with the rights of the caller.
    databases: rds(
      'CreateDBCluster',
      'ModifyDBCluster',
      'DeleteDBCluster',
      'CreateDBInstance',
      'ModifyDBInstance',
      'DeleteDBInstance',
      '*Tags*',
    ),
    ...linked,
    ...rolePassing,
  },
  'AWS::RDS::DBClusterParameterGroup': {
    databases: rds('*DBClusterParameterGroup', '*Tags*'),
    ...linked,
  },
  'AWS::RDS::DBInstance': {
    databases: rds('CreateDBInstance', 'ModifyDBInstance', 'RebootDBInstance', 'DeleteDBInstance', '*Tags*'),
    ...linked,
    ...rolePassing,
  },
  'AWS::RDS::DBParameterGroup': {
    databases: rds('*DBParameterGroup', '*Tags*'),
    ...linked,
  },
  'AWS::RDS::DBProxy': {
    // IAM knows no resource for its creation.
    anything: rds('CreateDBProxy'),
    proxies: rds('ModifyDBProxy', 'DeleteDBProxy', '*Tags*'),
    ...linked,
    ...rolePassing,
  },
  'AWS::RDS::DBProxyTargetGroup': {
    proxies: rds('ModifyDBProxyTargetGroup', 'RegisterDBProxyTargets', 'DeregisterDBProxyTargets'),
  },
  'AWS::RDS::DBSubnetGroup': {
    databases: rds('*DBSubnetGroup', '*Tags*'),
    ...linked,
  },
  // IAM knows no resource for what is done to a subscription.
  'AWS::SNS::Subscription': {
    topics: ['sns:Subscribe'],
    anything: ['sns:GetSubscriptionAttributes', 'sns:SetSubscriptionAttributes', 'sns:Unsubscribe'],
  },
  'AWS::SNS::Topic': {
    topics: [
      ...['CreateTopic', 'DeleteTopic', 'GetTopicAttributes', 'SetTopicAttributes', 'Subscribe'],
      ...['ListSubscriptionsByTopic', 'GetDataProtectionPolicy'],
      ...['TagResource', 'UntagResource', 'ListTagsForResource'],
    ].map((one) => `sns:${one}`),
    anything: ['sns:Unsubscribe'],
  },
  'AWS::SNS::TopicPolicy': { topics: ['sns:SetTopicAttributes'] },
  'AWS::SSM::Parameter': {
    parameters: [
      ...['PutParameter', 'GetParameters', 'DeleteParameter'],
      ...['AddTagsToResource', 'RemoveTagsFromResource', 'ListTagsForResource'],
    ].map((one) => `ssm:${one}`),
  },
  'AWS::Scheduler::Schedule': {
    deletion: ['scheduler:*Schedule'],
    ...rolePassing,
  },
  'AWS::SecretsManager::Secret': {
    secrets: ['secretsmanager:CreateSecret', 'secretsmanager:DescribeSecret', 'secretsmanager:TagResource'],
    // CloudFormation reads the password itself, where the template refers to it.
    tagged: ['GetSecretValue', 'UpdateSecret', 'DeleteSecret', 'UntagResource'].map((one) => `secretsmanager:${one}`),
    anything: ['secretsmanager:GetRandomPassword'],
  },
  'AWS::StepFunctions::StateMachine': {
    deletion: [
      ...['Create', 'Describe'].map((does) => `states:${does}StateMachine`),
      ...['states:TagResource', 'states:ListTagsForResource'],
    ],
    tagged: ['UpdateStateMachine', 'DeleteStateMachine', 'UntagResource'].map((one) => `states:${one}`),
    ...rolePassing,
  },
};
