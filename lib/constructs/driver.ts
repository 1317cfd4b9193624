import { Aws, CfnWaitCondition, CfnWaitConditionHandle, Tags, Validations } from 'aws-cdk-lib';
import {
  BlockDeviceVolume,
  type CfnInstance,
  CfnLaunchTemplate,
  EbsDeviceVolumeType,
  HttpTokens,
  type IMachineImage,
  Instance,
  InstanceType,
  MachineImage,
  UserData,
} from 'aws-cdk-lib/aws-ec2';
import { Policy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct, type IConstruct } from 'constructs';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import {
  bootSeconds,
  creationTimeoutSeconds,
  provisionSeconds,
  signalTimeoutSeconds,
} from '../../runner/rds/contract/waiting-times.ts';
import { acknowledgeWildcard } from './acknowledge-wildcard.ts';
import { onlyInside, type Permission, permissionsDocument } from './permissions/permission.ts';
import type { Network } from './network.ts';
import { userData } from './user-data.ts';

export interface DriverProps {
  readonly choice: Experiment['driver'];
  /**
   * Key that encrypts the disk.
   *
   * @default - the account's default key
   */
  readonly diskKeyArn?: string | undefined;
  readonly network: Network;
  /** Packages that the load generator needs, and the programs that must exist after they are installed. */
  readonly packages: readonly string[];
  readonly programs: readonly string[];
  /** SSM parameters, by their names: of the binding, and that which says that the databases are there. */
  readonly bindingParameter: string;
  readonly databasesParameter: string;
  readonly permissions: readonly Permission[];
  /** What the driver reads before there are databases. */
  readonly after: readonly IConstruct[];
}

/**
 * The EC2 instance that drives the load. It is made before the databases, which cost a hundred times as much: what it
 * cannot reach, fetch or accept ends the deploy before there are any. It starts the experiment by itself, once its
 * pre-flight has passed.
 */
export class Driver extends Construct {
  readonly instance: Instance;
  readonly role: Role;
  /** Made when the driver has checked everything that needs no database. */
  readonly provisioned: IConstruct;
  private readonly ready: CfnWaitConditionHandle;

  constructor(scope: Construct, id: string, props: DriverProps) {
    super(scope, id);
    const { choice, network } = props;
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('ec2.amazonaws.com'),
      description: 'pgduet driver: reads its binding, runner and password, checks its databases, writes its results',
      inlinePolicies: {
        driver: permissionsDocument(props.permissions),
        ...(network.isClosed ? { inside: onlyInside(network.vpc.vpcId) } : {}),
      },
    });
    acknowledgeWildcards(this.role, props.permissions);

    const booted = new CfnWaitConditionHandle(this, 'BootHandle');
    const provisioned = new CfnWaitConditionHandle(this, 'ProvisionHandle');
    const created = new CfnWaitConditionHandle(this, 'CreationHandle');
    this.ready = new CfnWaitConditionHandle(this, 'WaitHandle');
    const type = new InstanceType(choice.class);
    const image = MachineImage.resolveSsmParameterAtLaunch(
      `/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-${type.architecture}`,
    );
    this.instance = new Instance(this, 'Instance', {
      vpc: network.vpc,
      vpcSubnets: { subnets: [network.driverSubnet] },
      availabilityZone: network.availabilityZone,
      associatePublicIpAddress: network.publicAddress,
      securityGroup: network.driverSecurityGroup,
      instanceType: type,
      machineImage: image,
      role: this.role,
      httpTokens: HttpTokens.REQUIRED,
      httpPutResponseHopLimit: 1,
      instanceMetadataTags: true,
      propagateTagsToVolumeOnCreation: true,
      detailedMonitoring: true,
      // Current classes are so anyway. The rules of an account may want to see it.
      ebsOptimized: true,
      blockDevices: [
        {
          deviceName: '/dev/xvda',
          volume: BlockDeviceVolume.ebs(choice.volumeGib, {
            encrypted: true,
            ...(props.diskKeyArn === undefined ? {} : { kmsKey: Key.fromKeyArn(this, 'DiskKey', props.diskKeyArn) }),
            volumeType: EbsDeviceVolumeType.GP3,
            deleteOnTermination: true,
          }),
        },
      ],
      userData: UserData.custom(
        userData({
          region: Aws.REGION,
          bindingParameter: props.bindingParameter,
          databasesParameter: props.databasesParameter,
          bootUrl: booted.ref,
          provisionUrl: provisioned.ref,
          creationUrl: created.ref,
          waitUrl: this.ready.ref,
          packages: props.packages,
          programs: props.programs,
        }),
      ),
    });
    this.resolveImageAtLaunch(image);
    excludeFromRuntimeMonitoring(this.instance);
    const before = [network, ...props.after];
    // The instance itself: its profile, for which IAM takes minutes, is made beside the network.
    this.instance.instance.node.addDependency(...before);
    Validations.of(this.instance).acknowledge({
      id: 'AwsSolutions-EC29',
      reason: 'The stack is made to be destroyed, and its results are in S3 by then.',
    });

    // They begin when the instance does, so that no signal comes before its condition, but do not depend on it.
    // CloudFormation deletes what depends on another resource first: otherwise it would delete the databases under a
    // driver that still measures. So it ends both at once.
    this.await('Booted', booted, bootSeconds, before);
    this.provisioned = this.await('Provisioned', provisioned, bootSeconds + provisionSeconds, before);
    // Beside the databases, which begin at the same time: their creation ends with it if it fails.
    this.await('Created', created, creationTimeoutSeconds, [this.provisioned]);
  }

  /** Lets the stack wait until the run has begun on the databases. */
  awaitRun(databases: IConstruct): void {
    this.await('PreFlight', this.ready, signalTimeoutSeconds, [databases]);
  }

  /** Grants what can be named only when the databases exist. */
  allowLater(id: string, permissions: readonly Permission[]): Policy {
    const policy = new Policy(this, id, { roles: [this.role], document: permissionsDocument(permissions) });
    acknowledgeWildcards(policy, permissions);
    return policy;
  }

  /** Unlike the signal of a creation policy, a wait condition shows the reason for a failure in the stack's events. */
  private await(
    id: string,
    handle: CfnWaitConditionHandle,
    seconds: number,
    after: readonly IConstruct[],
  ): CfnWaitCondition {
    const condition = new CfnWaitCondition(this, id, { count: 1, handle: handle.ref, timeout: `${seconds}` });
    condition.node.addDependency(...after);
    return condition;
  }

  /**
   * Makes EC2 look up the image when it launches the driver, which needs a launch template. If CloudFormation looked it
   * up at each deploy, a new image would replace the driver in mid-experiment.
   */
  private resolveImageAtLaunch(image: IMachineImage): void {
    const template = new CfnLaunchTemplate(this, 'Image', {
      // The instance says so, too. The rules of an account may look at the template alone.
      launchTemplateData: {
        imageId: image.getImage(this).imageId,
        metadataOptions: { httpTokens: 'required', httpPutResponseHopLimit: 1, instanceMetadataTags: 'enabled' },
      },
    });
    const instance = this.instance.node.defaultChild as CfnInstance;
    instance.addPropertyDeletionOverride('ImageId');
    instance.launchTemplate = { launchTemplateId: template.ref, version: template.attrLatestVersionNumber };
  }
}

function acknowledgeWildcards(holder: IConstruct, permissions: readonly Permission[]): void {
  for (const { action, resource, wildcard } of permissions) {
    if (wildcard !== undefined) acknowledgeWildcard(holder, resource, `${action}: ${wildcard}`);
  }
}

/**
 * Tells GuardDuty to leave the driver alone. Otherwise, Runtime Monitoring with automated agents would put an endpoint
 * and a security group into the VPC. CloudFormation does not know them, so it could not delete the VPC. The agent would
 * also run beside the load generator. The tag must exist at the launch, and be readable in the instance's metadata.
 * Source: GuardDuty's user guide, "Managing automated security agent for Amazon EC2 instance".
 */
function excludeFromRuntimeMonitoring(instance: Instance): void {
  Tags.of(instance).add('GuardDutyManaged', 'false', { includeResourceTypes: ['AWS::EC2::Instance'] });
}
