import { Annotations, Stack, type StackProps, Token } from 'aws-cdk-lib';
import type { IInstance, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { stackPrices } from '../runner/rds/prices/bill.ts';
import { regionOf } from '../runner/rds/prices/kept-prices.ts';
import { requireDeployable } from '../runner/rds/prices/limits.ts';
import { runningChoices } from '../runner/rds/contract/binding.ts';
import { UserError } from '../runner/contract/errors.ts';
import { expirySchema } from '../runner/contract/experiment/deployment.ts';
import type { DeployableExperiment } from '../runner/rds/deploy/deployable.ts';
import { checkedOwner } from '../runner/rds/deploy/owner.ts';
import { loadExperiment } from '../runner/experiment/file/load.ts';
import { requireTrusted } from '../runner/experiment/trust.ts';
import { ExperimentResources, type ExperimentResourcesProps } from './constructs/experiment-resources.ts';
import { packagedDriverProgram } from './driver-program.ts';
import { ownResources } from './experiment-stack.ts';
import { describedNetwork, existingNetwork } from './existing-network.ts';
import { quietWindows } from './quiet-windows.ts';

/** What an experiment in a stack of your own and one in its own stack have in common. */
export interface ExperimentOptions {
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
   * The hash that the error names if somebody else wrote or could change files of the experiment.
   *
   * @default - only files of your own
   */
  readonly trust?: string;
  /**
   * Folder with the driver's program.
   *
   * @default - the program that the package brings
   */
  readonly runnerFolder?: string;
}

export interface ExperimentProps extends ExperimentOptions {
  /**
   * When the bill ends, in place of the experiment's `expiry`.
   *
   * `after`: the whole stack deletes itself, with everything else that it holds: so many hours after its creation, or
   * before that when `limits.dollars` are spent, or as the experiment says of `whenDone`. A stack that holds more than the
   * experiment should have `never`: then the databases cost money until you remove the construct or destroy the stack.
   * `reason` says why this is all right.
   */
  readonly expiry:
    { readonly kind: 'after'; readonly hours: number } | { readonly kind: 'never'; readonly reason: string };
}

/**
 * An experiment in a stack of your own. A driver measures as soon as the databases are there, and writes its results to
 * the bucket. `expiry` says whether the stack deletes itself.
 */
export class Experiment extends Construct {
  /** The instance that drives the load. */
  readonly driver: IInstance;
  /** Whether it may delete the stack that it is in. */
  readonly deletesStack: boolean;

  constructor(scope: Construct, id: string, props: ExperimentProps) {
    super(scope, id);
    const expiry = checkedExpiry(props.expiry);
    const deletesStack = expiry.kind === 'after';
    this.deletesStack = deletesStack;
    refuseOthersIn(this);
    // Without an expiry, the end of the run must not delete the stack of a user.
    const ends = deletesStack ? { expiry } : { expiry, whenDone: 'keep' as const };
    const { resources, warnings } = loadedResources(props, Stack.of(this).region, ends);
    warn(this, warnings);
    Annotations.of(this).addWarningV2(
      deletesStack ? 'pgduet:stackExpires' : 'pgduet:stackStays',
      deletesStack
        ? `This stack deletes itself with everything in it, at the latest ${expiry.hours} hours after its creation, because ${this.node.path} expires.`
        : `pgduet does not delete this stack: ${expiry.reason}. Its databases cost money until you remove ${this.node.path} from the app, or destroy the stack.`,
    );
    this.driver = new ExperimentResources(this, 'Default', {
      ...resources,
      ownsStack: false,
      deletesStack,
    }).driver.instance;
  }
}

export interface ExperimentStackProps extends ExperimentOptions, StackProps {}

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

/** @throws {UserError} if it is missing, as it may be in an app in JavaScript, or is wrong */
function checkedExpiry(declared: ExperimentProps['expiry'] | undefined): ExperimentProps['expiry'] {
  const checked = expirySchema.safeParse(declared ?? {});
  if (checked.success) return checked.data;
  throw new UserError(
    `expiry: ${declared === undefined ? 'missing' : JSON.stringify(declared)}: expected { kind: 'after', hours: 24 }, after which the whole stack deletes itself, or { kind: 'never', reason: '…' }, which says why its databases may cost money until you remove them.`,
  );
}

/** @throws {UserError} if the end of one experiment would delete another one, which is in the same stack */
function refuseOthersIn(experiment: Experiment): void {
  const others = Stack.of(experiment)
    .node.findAll()
    .filter((other): other is Experiment => other instanceof Experiment && other !== experiment);
  const [deleted] = experiment.deletesStack ? others : others.filter(({ deletesStack }) => deletesStack);
  if (!deleted) return;
  throw new UserError(
    `${deleted.node.path} and ${experiment.node.path} are in one stack, and the expiry of one would delete the other. Give each its own stack, or both the expiry { kind: 'never', reason: '…' }.`,
  );
}

function warn(scope: Construct, warnings: readonly string[]): void {
  warnings.forEach((warning, index) => Annotations.of(scope).addWarningV2(`pgduet:${index}`, warning));
}

/**
 * @param stackRegion a token if the stack is for no Region in particular
 * @param ends in place of what the experiment says of its stack's end
 * @throws {UserError} if the experiment, or a property, is wrong
 */
function loadedResources(
  props: ExperimentOptions,
  stackRegion: string,
  ends: Partial<Pick<DeployableExperiment, 'expiry' | 'whenDone'>> = {},
): { resources: Omit<ExperimentResourcesProps, 'ownsStack'>; warnings: string[] } {
  requirePossible(props);
  const folder = props.folder ?? process.cwd();
  const region = Token.isUnresolved(stackRegion) ? regionOf(process.env) : stackRegion;
  const loaded = loadExperiment(props.experiment, { folder, profile: props.profile });
  requireTrusted(loaded, props.trust, { word: 'trust: ', environment: process.env });
  const { deployed, warnings } = requireDeployable({ ...loaded.experiment, ...ends }, loaded.profile, region, folder);
  const network = props.vpc && existingNetwork(props.vpc, props, deployed);
  return {
    resources: {
      experiment: network ? { ...deployed, network: describedNetwork(network) } : deployed,
      profile: loaded.profile,
      experimentFile: loaded.path,
      ...(props.owner === undefined ? {} : { owner: checkedOwner(props.owner) }),
      running: props.running,
      runnerFolder: props.runnerFolder ?? packagedDriverProgram(folder),
      prices: stackPrices(deployed, folder),
      windows: quietWindows(new Date(), deployed.backups.windowUtc),
      network,
      resultsBucket: props.resultsBucket,
    },
    warnings: [...loaded.warnings.map(({ message }) => message), ...warnings],
  };
}

/** What an app in JavaScript may get wrong, or what would be ignored in silence. @throws {UserError} */
function requirePossible({ running, vpc, driverSubnet, databaseSubnets }: ExperimentOptions): void {
  if (running !== undefined && !runningChoices.includes(running)) {
    throw new UserError(`running: "${running}": expected ${runningChoices.join(' or ')}.`);
  }
  if (vpc !== undefined) return;
  for (const [name, selection] of Object.entries({ driverSubnet, databaseSubnets })) {
    if (selection !== undefined) throw new UserError(`${name} selects subnets of vpc, which is missing. Set vpc, too.`);
  }
}
