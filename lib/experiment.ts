import { Annotations, Stack, type StackProps, Token } from 'aws-cdk-lib';
import type { IInstance, ISubnet, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import { SubnetType } from 'aws-cdk-lib/aws-ec2';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { stackDollarsPerHour } from '../runner/costs/estimate.ts';
import { regionOf } from '../runner/costs/kept-prices.ts';
import { requireDeployable } from '../runner/costs/limits.ts';
import { runningChoices } from '../runner/contract/binding.ts';
import { UserError } from '../runner/contract/errors.ts';
import type { DeployableExperiment } from '../runner/experiment/deploy/deployable.ts';
import { checkedOwner } from '../runner/experiment/deploy/owner.ts';
import { loadExperiment } from '../runner/experiment/file/load.ts';
import { ExperimentResources, type ExperimentResourcesProps } from './constructs/experiment-resources.ts';
import type { GivenNetwork } from './constructs/network.ts';
import { packagedDriverProgram } from './driver-program.ts';
import { ownResources } from './experiment-stack.ts';
import { quietWindows } from './quiet-windows.ts';

export interface ExperimentProps {
  /**
   * Name of an experiment, or path of its file. A name is looked for in `experiments/` of `folder`, and then among the
   * experiments that pgduet brings.
   */
  readonly experiment: string;
  /**
   * Profile of the experiment, or several with commas.
   *
   * @default - the file as it is
   */
  readonly profile?: string;
  /**
   * Who runs it: up to 12 lower-case letters and digits. It is part of the names of servers and parameters, so that two
   * people may run the same experiment in one Region.
   *
   * @default - a stack parameter, which has to be given at the deploy
   */
  readonly owner?: string;
  /**
   * Folder of `experiments/`, and of prices and certificates of your own.
   *
   * @default - the working folder of the app
   */
  readonly folder?: string;
  /**
   * A VPC for the driver and the databases, in place of what the experiment says of its network. Its neighbours and its
   * routes are then part of what is measured.
   *
   * @default - the network that the experiment asks for
   */
  readonly vpc?: IVpc;
  /**
   * Subnet of the driver in `vpc`: the first one of the selection. It must reach S3 and the APIs of AWS. In a public
   * subnet, the driver has a public address.
   *
   * @default - a private subnet with a way out, or a public one if there is none
   */
  readonly driverSubnet?: SubnetSelection;
  /**
   * Subnets of the databases in `vpc`, in two zones, or in three for a Multi-AZ cluster.
   *
   * @default - isolated subnets, or private ones if there are none
   */
  readonly databaseSubnets?: SubnetSelection;
  /**
   * Bucket for the results.
   *
   * @default - the bucket of the stack pgduet-results in the Region
   */
  readonly resultsBucket?: IBucket;
  /**
   * What happens to a run in progress when a deploy changes what is measured.
   *
   * @default 'finish'
   */
  readonly running?: 'finish' | 'abort';
  /**
   * Folder with the driver's program.
   *
   * @default - the program that the package brings
   */
  readonly runnerFolder?: string;
}

/**
 * An experiment in a stack of your own. A driver measures as soon as the databases are there, and writes its results to
 * the bucket. The stack is yours, so it is not deleted at the end, whatever the experiment says of `whenDone` and
 * `expiry`: remove the construct, or destroy the stack.
 */
export class Experiment extends Construct {
  /** The instance that drives the load. */
  readonly driver: IInstance;

  constructor(scope: Construct, id: string, props: ExperimentProps) {
    super(scope, id);
    const { resources, warnings } = loadedResources(props, Stack.of(this).region);
    warn(this, warnings);
    Annotations.of(this).addWarningV2(
      'pgduet:stackStays',
      `pgduet does not delete this stack, because it is yours. Its databases cost money until you remove ${this.node.path} from the app, or destroy the stack.`,
    );
    this.driver = new ExperimentResources(this, 'Default', { ...resources, ownsStack: false }).driver.instance;
  }
}

export interface ExperimentStackProps extends ExperimentProps, StackProps {}

/** A stack of its own for one experiment. It deletes itself as the experiment says. */
export class ExperimentStack extends Stack {
  /** The instance that drives the load. */
  readonly driver: IInstance;

  constructor(scope: Construct, id: string, props: ExperimentStackProps) {
    super(scope, id, props);
    const { resources, warnings } = loadedResources(props, this.region);
    warn(this, warnings);
    this.driver = ownResources(this, resources).driver.instance;
  }
}

function warn(scope: Construct, warnings: readonly string[]): void {
  warnings.forEach((warning, index) => Annotations.of(scope).addWarningV2(`pgduet:${index}`, warning));
}

/**
 * @param stackRegion a token if the stack is for no Region in particular
 * @throws {UserError} if the experiment, or a property, is wrong
 */
function loadedResources(
  props: ExperimentProps,
  stackRegion: string,
): { resources: Omit<ExperimentResourcesProps, 'ownsStack'>; warnings: string[] } {
  requirePossible(props);
  const folder = props.folder ?? process.cwd();
  const region = Token.isUnresolved(stackRegion) ? regionOf(process.env) : stackRegion;
  const loaded = loadExperiment(props.experiment, { folder, profile: props.profile });
  const { deployed, warnings } = requireDeployable(loaded.experiment, loaded.profile, region);
  const network = props.vpc && givenNetwork(props.vpc, props, deployed);
  return {
    resources: {
      experiment: network ? { ...deployed, network: describedNetwork(network) } : deployed,
      profile: loaded.profile,
      experimentFile: loaded.path,
      ...(props.owner === undefined ? {} : { owner: checkedOwner(props.owner) }),
      running: props.running,
      runnerFolder: props.runnerFolder ?? packagedDriverProgram(folder),
      dollarsPerHour: stackDollarsPerHour(deployed, region) ?? undefined,
      windows: quietWindows(new Date(), deployed.backups.windowUtc),
      network,
      resultsBucket: props.resultsBucket,
    },
    warnings: [...loaded.warnings, ...warnings],
  };
}

/** What an app in JavaScript may get wrong, or what would be ignored in silence. @throws {UserError} */
function requirePossible({ running, vpc, driverSubnet, databaseSubnets }: ExperimentProps): void {
  if (running !== undefined && !runningChoices.includes(running)) {
    throw new UserError(`running: "${running}": expected ${runningChoices.join(' or ')}.`);
  }
  if (vpc !== undefined) return;
  for (const [name, selection] of Object.entries({ driverSubnet, databaseSubnets })) {
    if (selection !== undefined)
      throw new UserError(`${name} selects subnets of vpc, which is missing. Give vpc, too.`);
  }
}

function givenNetwork(
  vpc: IVpc,
  { driverSubnet, databaseSubnets }: ExperimentProps,
  { variants }: DeployableExperiment,
): GivenNetwork {
  const usual = vpc.privateSubnets.length > 0 ? SubnetType.PRIVATE_WITH_EGRESS : SubnetType.PUBLIC;
  const [driver] = vpc.selectSubnets(driverSubnet ?? { subnetType: usual }).subnets;
  if (!driver) throw new UserError('driverSubnet selects no subnet of vpc. Select the one that the driver goes into.');
  const usualOfDatabases =
    vpc.isolatedSubnets.length > 0 ? SubnetType.PRIVATE_ISOLATED : SubnetType.PRIVATE_WITH_EGRESS;
  const { subnets } = vpc.selectSubnets(databaseSubnets ?? { subnetType: usualOfDatabases });
  const zones = Object.values(variants).some(({ deployment }) => deployment === 'multi-az-cluster') ? 3 : 2;
  if (subnets.length < zones) {
    throw new UserError(
      `databaseSubnets selects ${subnets.length} of the subnets of vpc, and RDS needs ${zones}, each in another zone. Select more of them.`,
    );
  }
  const inZones = new Set(subnets.map(zoneOf));
  if (inZones.size < zones) {
    throw new UserError(
      `databaseSubnets selects subnets of vpc in ${[...inZones].join(', ')}, and RDS needs them in ${zones} zones. Select subnets of other zones, too.`,
    );
  }
  return { vpc, driverSubnet: driver, databaseSubnets: subnets, publicAddress: vpc.publicSubnets.includes(driver) };
}

/** The zone of a subnet; its path if its zone is known only at the deploy, or not at all. */
function zoneOf(subnet: ISubnet): string {
  try {
    return Token.isUnresolved(subnet.availabilityZone) ? subnet.node.path : subnet.availabilityZone;
  } catch {
    // Of a subnet that was imported by its id alone, the CDK throws instead of answering.
    return subnet.node.path;
  }
}

/**
 * The same network in the words of an experiment, for what records the stack's parts. Ids may be known only at the
 * deploy, so the subnets are named as in the app.
 */
function describedNetwork({
  vpc,
  driverSubnet,
  databaseSubnets,
  publicAddress,
}: GivenNetwork): DeployableExperiment['network'] {
  return {
    mode: 'existing',
    vpcId: vpc.node.path,
    driverSubnetId: driverSubnet.node.path,
    databaseSubnetIds: databaseSubnets.map(({ node }) => node.path),
    availabilityZone: zoneOf(driverSubnet),
    publicAddress,
    reason: 'The app names this network.',
  };
}
