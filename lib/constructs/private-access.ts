import { Aws, Stack } from 'aws-cdk-lib';
import {
  GatewayVpcEndpointAwsService,
  InterfaceVpcEndpointAwsService,
  type ISubnet,
  type IVpc,
  Port,
  SecurityGroup,
} from 'aws-cdk-lib/aws-ec2';
import { AnyPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { WantedSources } from '../../runner/rds/deploy/aws-sources.ts';

/** ARNs of what the driver reads and writes in S3. */
export interface ReachableObjects {
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Buckets that the driver lists. */
  readonly list: readonly string[];
}

export interface PrivateAccessProps {
  readonly vpc: IVpc;
  readonly subnet: ISubnet;
  readonly from: SecurityGroup;
  readonly reachable: ReachableObjects;
  readonly sources: WantedSources;
}

/** The services that every driver calls, each with an endpoint in its subnet. */
const services = {
  CloudFormation: InterfaceVpcEndpointAwsService.CLOUDFORMATION,
  Rds: InterfaceVpcEndpointAwsService.RDS,
  SecretsManager: InterfaceVpcEndpointAwsService.SECRETS_MANAGER,
  Ssm: InterfaceVpcEndpointAwsService.SSM,
  SsmMessages: InterfaceVpcEndpointAwsService.SSM_MESSAGES,
};

/** The services of the sources that are asked when the run has ended, besides RDS itself. */
const servicesOfSources: Partial<Record<keyof WantedSources, InterfaceVpcEndpointAwsService>> = {
  cloudWatch: InterfaceVpcEndpointAwsService.CLOUDWATCH_MONITORING,
  insights: InterfaceVpcEndpointAwsService.RDS_PERFORMANCE_INSIGHTS,
  enhancedMonitoring: InterfaceVpcEndpointAwsService.CLOUDWATCH_LOGS,
};

/** Replaces internet access in private mode: endpoints for the services, and S3 for only a few buckets. */
export class PrivateAccess extends Construct {
  constructor(scope: Construct, id: string, { vpc, subnet, from, reachable, sources }: PrivateAccessProps) {
    super(scope, id);
    const securityGroup = new SecurityGroup(this, 'SecurityGroup', {
      vpc,
      description: 'pgduet endpoints: HTTPS from the driver',
      allowAllOutbound: false,
    });
    securityGroup.addIngressRule(from, Port.tcp(443), 'HTTPS from the driver');
    const wanted = Object.entries(servicesOfSources).flatMap(([name, service]) =>
      sources[name as keyof WantedSources]
        ? [[`${name[0]?.toUpperCase() ?? ''}${name.slice(1)}`, service] as const]
        : [],
    );
    for (const [name, service] of [...Object.entries(services), ...wanted]) {
      vpc
        .addInterfaceEndpoint(name, {
          service,
          subnets: { subnets: [subnet] },
          securityGroups: [securityGroup],
          open: false,
        })
        .addToPolicy(withinTheAccount());
    }

    const s3 = vpc.addGatewayEndpoint('S3', {
      service: GatewayVpcEndpointAwsService.S3,
      subnets: [{ subnets: [subnet] }],
    });
    const { partition } = Stack.of(this);
    const bucket = (name: string) => `arn:${partition}:s3:::${name}/*`;
    const allow = (actions: string[], resources: readonly string[]) =>
      s3.addToPolicy(new PolicyStatement({ principals: [new AnyPrincipal()], actions, resources: [...resources] }));
    // The package repositories of Amazon Linux 2023 are in one bucket per Region. The suffix is the same everywhere.
    allow(['s3:GetObject'], [...reachable.read, bucket(`al2023-repos-${Aws.REGION}-de612dc2`)]);
    allow(['s3:ListBucket'], reachable.list);
    // CloudFormation receives the signal of a wait condition as an upload to its own bucket.
    allow(['s3:PutObject'], [...reachable.write, bucket(`cloudformation-waitcondition-${Aws.REGION}`)]);
  }
}

/**
 * Whoever reaches an endpoint uses it with an identity of this account, for what belongs to this account. Some requests
 * are about no resource.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_data-perimeters.html
 */
function withinTheAccount(): PolicyStatement {
  return new PolicyStatement({
    principals: [new AnyPrincipal()],
    actions: ['*'],
    resources: ['*'],
    conditions: {
      StringEquals: { 'aws:PrincipalAccount': Aws.ACCOUNT_ID },
      StringEqualsIfExists: { 'aws:ResourceAccount': Aws.ACCOUNT_ID },
    },
  });
}
