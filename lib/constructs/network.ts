import { Fn, RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  IpAddresses,
  type ISubnet,
  type IVpc,
  Peer,
  Port,
  SecurityGroup,
  Subnet,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { SubnetGroup } from 'aws-cdk-lib/aws-rds';
import { Construct } from 'constructs';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import type { WantedSources } from '../../runner/rds/deploy/aws-sources.ts';
import { PrivateAccess, type ReachableObjects } from './private-access.ts';

type NetworkChoice = Experiment['network'];

export interface NetworkProps {
  readonly choice: NetworkChoice;
  /** Used in place of what the experiment chooses. */
  readonly existing?: ExistingNetwork | undefined;
  /** Zones that the database subnets must span. */
  readonly zones: number;
  /** Objects in S3 that a driver without internet access must reach. */
  readonly reachable: ReachableObjects;
  /** AWS sources that it must reach, too. */
  readonly sources: WantedSources;
}

/** Subnets of a VPC that the app has made or looked up. */
export interface ExistingNetwork {
  readonly vpc: IVpc;
  readonly driverSubnet: ISubnet;
  /** In two zones, or three for a Multi-AZ cluster; one of them in the driver's zone. */
  readonly databaseSubnets: readonly ISubnet[];
  /** Whether the driver gets a public address. */
  readonly publicAddress: boolean;
}

export const postgresPort = 5432;

/**
 * The network of everything in the stack. Nothing can open a connection to the driver, and only the driver can open one
 * to the databases.
 */
export class Network extends Construct {
  readonly vpc: IVpc;
  readonly driverSubnet: ISubnet;
  /** Zone of the driver, and of every Single-AZ variant. */
  readonly availabilityZone: string;
  readonly publicAddress: boolean;
  /** Whether the driver reaches AWS by endpoints of the VPC alone. */
  readonly isClosed: boolean;
  readonly driverSecurityGroup: SecurityGroup;
  readonly databaseSecurityGroup: SecurityGroup;
  readonly databaseSubnets: SubnetGroup;
  readonly databaseSubnetIds: string[];

  constructor(scope: Construct, id: string, props: NetworkProps) {
    super(scope, id);
    const { choice, existing } = props;
    const place = existing
      ? { ...existing, availabilityZone: existing.driverSubnet.availabilityZone }
      : choice.mode === 'existing'
        ? this.existing(choice)
        : this.own(choice, props.zones);
    this.vpc = place.vpc;
    this.driverSubnet = place.driverSubnet;
    this.availabilityZone = place.availabilityZone;
    this.publicAddress = place.publicAddress;
    this.isClosed = !existing && choice.mode === 'private';

    this.driverSecurityGroup = new SecurityGroup(this, 'DriverSecurityGroup', {
      vpc: this.vpc,
      description: 'pgduet driver: no way in, Session Manager instead',
      allowAllOutbound: false,
    });
    this.databaseSecurityGroup = new SecurityGroup(this, 'DatabaseSecurityGroup', {
      vpc: this.vpc,
      description: 'pgduet databases: PostgreSQL from the driver',
      allowAllOutbound: false,
    });
    this.databaseSecurityGroup.addIngressRule(
      this.driverSecurityGroup,
      Port.tcp(postgresPort),
      'PostgreSQL from the driver',
    );
    this.driverSecurityGroup.addEgressRule(this.databaseSecurityGroup, Port.tcp(postgresPort), 'PostgreSQL');
    this.driverSecurityGroup.addEgressRule(Peer.anyIpv4(), Port.tcp(443), 'AWS APIs, S3 and the package repositories');

    this.databaseSubnetIds = place.databaseSubnets.map(({ subnetId }) => subnetId);
    this.databaseSubnets = new SubnetGroup(this, 'DatabaseSubnets', {
      vpc: this.vpc,
      vpcSubnets: { subnets: [...place.databaseSubnets] },
      description: 'pgduet databases',
      removalPolicy: RemovalPolicy.DESTROY,
    });
    if (existing || choice.availabilityZone !== undefined) {
      const reason = 'The experiment or the subnet names the zone; without a name, CloudFormation chooses one.';
      Validations.of(scope).acknowledge({ id: 'CloudFormation-Validate::W3010', reason });
    }
    if (this.isClosed) {
      new PrivateAccess(this, 'PrivateAccess', {
        vpc: this.vpc,
        subnet: this.driverSubnet,
        from: this.driverSecurityGroup,
        reachable: props.reachable,
        sources: props.sources,
      });
    }
  }

  private own(choice: Exclude<NetworkChoice, { mode: 'existing' }>, zones: number) {
    // CloudFormation resolves GetAZs, so synth needs neither an account nor a lookup. A named zone is added to those
    // that the databases need, since it may be one of these.
    const found = Array.from({ length: zones }, (_, index) => Fn.select(index, Fn.getAzs()));
    const availabilityZones = choice.availabilityZone === undefined ? found : [choice.availabilityZone, ...found];
    const isPublic = choice.mode === 'public-driver';
    const vpc = new Vpc(this, 'Vpc', {
      ipAddresses: IpAddresses.cidr('10.0.0.0/22'),
      availabilityZones,
      natGateways: 0,
      // To restrict a security group that nothing uses, CDK would need a function whose log group outlives the stack.
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [
        {
          name: 'driver',
          subnetType: isPublic ? SubnetType.PUBLIC : SubnetType.PRIVATE_ISOLATED,
          cidrMask: 26,
          ...(isPublic ? { mapPublicIpOnLaunch: false } : {}),
        },
        { name: 'database', subnetType: SubnetType.PRIVATE_ISOLATED, cidrMask: 26 },
      ],
    });
    Validations.of(vpc).acknowledge({
      id: 'AwsSolutions-VPC7',
      reason:
        'The only flows are between one driver and its databases, and flow logs would cost money for all traffic of the load.',
    });
    return {
      vpc,
      availabilityZone: availabilityZones[0] ?? '',
      driverSubnet: vpc.selectSubnets({ subnetGroupName: 'driver' }).subnets[0] as ISubnet,
      databaseSubnets: vpc.selectSubnets({ subnetGroupName: 'database' }).subnets,
      publicAddress: isPublic,
    };
  }

  private existing(choice: Extract<NetworkChoice, { mode: 'existing' }>) {
    const { vpcId, availabilityZone } = choice;
    // By attributes: a lookup would need credentials at synth.
    const vpc = Vpc.fromVpcAttributes(this, 'Vpc', { vpcId, availabilityZones: [availabilityZone] });
    const reason = 'This stack does not change the routes of a VPC that others use.';
    Validations.of(this).acknowledge({ id: 'Annotation::@aws-cdk/aws-ec2:noSubnetRouteTableId', reason });
    return {
      vpc,
      availabilityZone,
      driverSubnet: Subnet.fromSubnetAttributes(this, 'DriverSubnet', {
        subnetId: choice.driverSubnetId,
        availabilityZone,
      }),
      databaseSubnets: choice.databaseSubnetIds.map((subnetId, index) =>
        Subnet.fromSubnetId(this, `DatabaseSubnet${index + 1}`, subnetId),
      ),
      publicAddress: choice.publicAddress,
    };
  }
}
