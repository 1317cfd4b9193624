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
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct, type IDependable } from 'constructs';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import { bootSeconds, signalTimeoutSeconds } from '../../runner/contract/waiting-times.ts';
import { acknowledgeWildcard } from './acknowledge-wildcard.ts';
import { type Permission, permissionsDocument } from './permissions/permission.ts';
import type { Network } from './network.ts';
import { userData } from './user-data.ts';

export interface DriverProps {
  readonly choice: Experiment['driver'];
  readonly network: Network;
  /** Packages that the load generator needs, and the programs that must exist after they are installed. */
  readonly packages: readonly string[];
  readonly programs: readonly string[];
  readonly bindingParameter: string;
  readonly permissions: readonly Permission[];
  /**
   * Everything that the pre-flight checks. It is made before the driver, so that the pre-flight's time limit covers
   * only the driver's boot.
   */
  readonly after: readonly IDependable[];
}

/** The EC2 instance that drives the load. It starts the experiment by itself, once its pre-flight has passed. */
export class Driver extends Construct {
  readonly instance: Instance;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: DriverProps) {
    super(scope, id);
    const { choice, network } = props;
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('ec2.amazonaws.com'),
      description: 'pgduet driver: reads its binding, runner and password, checks its databases, writes its results',
      inlinePolicies: { driver: permissionsDocument(props.permissions) },
    });
    for (const { action, resource, wildcard } of props.permissions) {
      if (wildcard !== undefined) acknowledgeWildcard(this.role, resource, `${action}: ${wildcard}`);
    }

    const booted = new CfnWaitConditionHandle(this, 'BootHandle');
    const ready = new CfnWaitConditionHandle(this, 'WaitHandle');
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
      blockDevices: [
        {
          deviceName: '/dev/xvda',
          volume: BlockDeviceVolume.ebs(choice.volumeGib, {
            encrypted: true,
            volumeType: EbsDeviceVolumeType.GP3,
            deleteOnTermination: true,
          }),
        },
      ],
      userData: UserData.custom(
        userData({
          region: Aws.REGION,
          bindingParameter: props.bindingParameter,
          bootUrl: booted.ref,
          waitUrl: ready.ref,
          packages: props.packages,
          programs: props.programs,
        }),
      ),
    });
    this.resolveImageAtLaunch(image);
    excludeFromRuntimeMonitoring(this.instance);
    this.instance.node.addDependency(network, ...props.after);
    Validations.of(this.instance).acknowledge({
      id: 'AwsSolutions-EC29',
      reason: 'The stack is made to be destroyed, and its results are in S3 by then.',
    });

    // A driver that cannot speak, for example without a way out of its network, is given up when its boot takes too long,
    // and not after the much longer time that its pre-flight may wait for RDS.
    this.await('Booted', booted, bootSeconds);
    this.await('PreFlight', ready, signalTimeoutSeconds);
  }

  /** Unlike the signal of a creation policy, a wait condition shows the reason for a failure in the stack's events. */
  private await(id: string, handle: CfnWaitConditionHandle, seconds: number): void {
    const condition = new CfnWaitCondition(this, id, { count: 1, handle: handle.ref, timeout: `${seconds}` });
    condition.node.addDependency(this.instance);
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

/**
 * Tells GuardDuty to leave the driver alone. Otherwise, Runtime Monitoring with automated agents would put an endpoint
 * and a security group into the VPC. CloudFormation does not know them, so it could not delete the VPC. The agent would
 * also run beside the load generator. The tag must exist at the launch, and be readable in the instance's metadata.
 * Source: GuardDuty's user guide, "Managing automated security agent for Amazon EC2 instance".
 */
function excludeFromRuntimeMonitoring(instance: Instance): void {
  Tags.of(instance).add('GuardDutyManaged', 'false', { includeResourceTypes: ['AWS::EC2::Instance'] });
}
