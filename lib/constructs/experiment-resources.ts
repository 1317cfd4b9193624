import path from 'node:path';
import { Aws, CfnOutput, Fn, Stack, Tags } from 'aws-cdk-lib';
import { CfnParameter as CfnSsmParameter, StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { Construct, type IConstruct } from 'constructs';
import {
  type Binding,
  bindingHead,
  bindingParameterName,
  boundServers,
  databasesParameterName,
  resultsBucketParameterName,
  snapshotNamePrefix,
} from '../../runner/rds/contract/binding.ts';
import { hasLogVolume } from '../../runner/contract/log-volume.ts';
import { ownCommand } from '../../runner/contract/own-command.ts';
import { crossoversOf } from '../../runner/contract/plan.ts';
import { serverName, serversOf } from '../../runner/contract/server.ts';
import { keepsData } from '../../runner/experiment/plan/durations.ts';
import { wantedSources } from '../../runner/rds/deploy/aws-sources.ts';
import { type DeployableExperiment, stackDescription } from '../../runner/rds/deploy/deployable.ts';
import { resultsKeyOf } from '../../runner/rds/deploy/keys.ts';
import { deploymentOfServer, zonesNeeded } from '../../runner/rds/deployments/registry.ts';
import { statusName } from '../../runner/contract/status.ts';
import { toolVersion } from '../../runner/contract/tool-version.ts';
import type { StackPrice } from '../../runner/rds/prices/bill.ts';
import { hashFiles } from '../../runner/workloads/loaded-with.ts';
import { filesOf } from '../../runner/workloads/of-variants.ts';
import { toolOf } from '../../runner/workloads/registry.ts';
import { MasterCredentials } from './credentials.ts';
import { ExperimentDashboard } from './dashboard.ts';
import { Databases } from './databases.ts';
import { Driver } from './driver.ts';
import { driverPermissions, type DriverResources } from './permissions/driver-permissions.ts';
import type { Permission } from './permissions/permission.ts';
import { proxyPermissions } from './permissions/proxy-permissions.ts';
import { sourcePermissions } from './permissions/source-permissions.ts';
import { ExperimentAssets } from './experiment-assets.ts';
import { type ExistingNetwork, Network, postgresPort } from './network.ts';
import { refuseNamesakes } from './refuse-namesakes.ts';
import { refuseOtherDeploys } from './refuse-other-deploys.ts';
import { letGoLast } from './deletion/let-go-last.ts';
import { refuseUndeletable } from './deletion/refuse-undeletable.ts';
import { selfDeletionOf } from './deletion/self-deletion.ts';
import { databaseName } from './variant-props.ts';
import { deployId } from '../deploy-id.ts';
import { groupParameters, ownerParameter, windowParameters } from '../launch-form.ts';
import type { QuietWindows } from '../quiet-windows.ts';

export interface ExperimentResourcesProps {
  readonly experiment: DeployableExperiment;
  readonly profile: string;
  /** Absolute path of the experiment file. */
  readonly experimentFile: string;
  /**
   * The person who deploys it; part of names and tags.
   *
   * @default - the stack parameter Owner
   */
  readonly owner?: string;
  /** Folder with the bundled runner. */
  readonly runnerFolder: string;
  /**
   * What happens to a run in progress when this deploy replaces it.
   *
   * @default 'finish'
   */
  readonly running?: Binding['running'];
  /**
   * Key that encrypts the bucket of assets.
   *
   * @default - a key that the driver may use anyway: S3's own, or the one that `cdk bootstrap` makes
   */
  readonly assetKeyArn?: string;
  /**
   * What the stack costs, by Region, for the end of its bill. A template may be launched in any of them. Where the price is
   * unknown, the stack does not know what it has cost.
   */
  readonly prices: ReadonlyMap<string, StackPrice>;
  /**
   * Defaults of the stack parameters BackupWindow and MaintenanceWindow.
   *
   * @default - none: the person who launches the template must name them, since the time of the launch is not known
   * before
   */
  readonly windows?: QuietWindows;
  /** Whether the stack holds nothing else: then it has the experiment's description and tags. */
  readonly ownsStack: boolean;
  /**
   * Whether the stack may delete itself as the experiment says.
   *
   * @default - if it holds nothing else
   */
  readonly deletesStack?: boolean;
  /**
   * A network that is there already.
   *
   * @default - the one that the experiment asks for
   */
  readonly network?: ExistingNetwork | undefined;
  /**
   * Bucket for the results.
   *
   * @default - the one of the stack pgduet-results
   */
  readonly resultsBucket?: IBucket | undefined;
}

/**
 * What one experiment consists of: network, databases, credentials, driver, dashboard, and the deletion of the stack. No
 * resource is retained.
 */
export class ExperimentResources extends Construct {
  readonly driver: Driver;
  /** Everything that the driver's role allows, one row for each permission. */
  readonly driverPermissions: readonly Permission[];

  constructor(scope: Construct, id: string, props: ExperimentResourcesProps) {
    super(scope, id);
    const stack = Stack.of(this);
    const { experiment } = props;
    refuseNamesakes(scope, experiment.name, props.owner);
    const tool = toolOf(experiment.workload);
    const owner = props.owner ?? ownerParameter(this);
    this.tag(props.ownsStack ? stack : this, experiment, owner);
    const workloadFiles = filesOf(experiment).all;
    const files = hashFiles(workloadFiles, path.dirname(props.experimentFile));
    refuseOtherDeploys(this, props, files);

    const results = this.results(experiment.name, owner, props.resultsBucket);
    const resultsKeyArn = props.resultsBucket ? props.resultsBucket.encryptionKey?.keyArn : resultsKeyOf(experiment);
    const assets = new ExperimentAssets(this, 'Assets', {
      ...props,
      workloadFiles,
    });
    const deploy = deployId(props, files, assets.runner.assetHash);
    const { deletesStack = props.ownsStack } = props;
    const deletion = deletesStack
      ? selfDeletionOf(this, experiment, { results, resultsKeyArn, deploy, owner, prices: props.prices })
      : undefined;
    const assetArns = [assets.runner, assets.experiment].map((asset) =>
      this.s3Arn(asset.s3BucketName, asset.s3ObjectKey),
    );
    const resultsBucketArn = `arn:${stack.partition}:s3:::${results.bucket}`;
    const resultsArn = `${resultsBucketArn}/${results.prefix}*`;
    const sources = wantedSources(experiment);
    const network = new Network(this, 'Network', {
      sources,
      choice: experiment.network,
      existing: props.network,
      zones: zonesNeeded(experiment),
      reachable: {
        read: [this.s3Arn(assets.runner.s3BucketName, '*'), resultsArn],
        write: [resultsArn],
        list: [resultsBucketArn],
      },
    });
    const restored = tool.restores(experiment.workload);
    const credentials = new MasterCredentials(this, 'Credentials', experiment, restored?.user);
    const databases = new Databases(this, 'Databases', {
      experiment,
      owner,
      network,
      credentials,
      windows: windowParameters(this, props.windows),
    });
    const dashboard = new ExperimentDashboard(
      this,
      'Dashboard',
      experiment.question,
      Object.entries(databases.variants).map(([name, bound]) => ({
        name,
        members: deploymentOfServer(bound).members,
        identifiers: [bound.identifier].flat(),
        hasLogVolume: hasLogVolume(bound.expected),
      })),
    );
    const binding = this.binding({
      ...bindingHead,
      toolVersion,
      deploy,
      running: props.running ?? 'finish',
      experiment: { name: experiment.name, profile: props.profile, file: assets.fileOnDriver },
      owner,
      region: stack.region,
      stackName: Aws.STACK_NAME,
      stackId: Aws.STACK_ID,
      results,
      secretArn: credentials.secret.secretArn,
      database: { name: restored?.database ?? databaseName, port: postgresPort },
      assets: { runner: s3Address(assets.runner), experiment: s3Address(assets.experiment) },
      dashboardUrl: dashboard.url,
      lifetimeHours: deletesStack && experiment.expiry.kind === 'after' ? experiment.expiry.hours : null,
      limitDollars: (deletion && experiment.limits.dollars) ?? null,
      whenDone: deletesStack ? experiment.whenDone : 'keep',
      graceMinutes: experiment.graceMinutes,
      variants: databases.variants,
    });
    const databasesParameter = databasesParameterName(experiment.name, owner);
    const servers = [...boundServers(databases).values()];
    const permissions = driverPermissions({
      bindingParameterArn: this.parameterArn(binding.name),
      databasesParameterArn: this.parameterArn(databasesParameter),
      assetArns,
      assetKeyArn: props.assetKeyArn,
      results: { bucketArn: resultsBucketArn, prefix: results.prefix, keyArn: resultsKeyArn },
      stackId: Aws.STACK_ID,
      secretArn: credentials.secret.secretArn,
      secretKeyArn: credentials.kmsKeyArn,
      servers,
      crossover: crossoversOf(experiment.protocol) > 0,
      snapshot: keepsData(experiment) ? this.snapshot(experiment, owner, databases) : undefined,
    });
    this.driver = new Driver(this, 'Driver', {
      choice: experiment.driver,
      diskKeyArn: experiment.encryption?.kmsKeyArn,
      network,
      packages: tool.driver.packages(Object.values(experiment.variants).map(({ engine }) => engine.major)),
      programs: tool.driver.programs,
      bindingParameter: binding.name,
      databasesParameter,
      permissions,
      after: [binding.parameter],
    });
    databases.makeAfter(this.driver.provisioned);
    const reading = [
      ...sourcePermissions(
        servers.map((server) => ({ ...server, resourceId: databases.resourceIds.get(server.identifier) })),
        sources,
        experiment.encryption?.kmsKeyArn,
      ),
      ...proxyPermissions(databases.proxies),
    ];
    this.driverPermissions = [...permissions, ...reading];
    const made = new CfnSsmParameter(this, 'DatabasesMade', {
      name: databasesParameter,
      type: 'String',
      value: deploy,
      description: 'The deploy for which pgduet’s databases are made',
    });
    made.node.addDependency(databases);
    if (reading.length > 0) made.node.addDependency(this.driver.allowLater('Sources', reading));
    this.driver.awaitRun(databases);

    if (deletion) {
      refuseUndeletable(this);
      letGoLast(deletion.lastToGo);
    }
    this.outputs(experiment.name, owner, results, dashboard.url);
    if (!props.ownsStack) return;
    // Not as a property of the stack: CDK would limit its length to half of what CloudFormation allows.
    stack.templateOptions.description = stackDescription(experiment.question);
    groupParameters(stack);
  }

  /** The run keeps a snapshot of the first server of the baseline. */
  private snapshot(experiment: DeployableExperiment, owner: string, databases: Databases): DriverResources['snapshot'] {
    const [server] = serversOf([experiment.baseline], experiment.protocol.replicas);
    const bound = server && boundServers(databases).get(serverName(server));
    return bound && { of: bound, namePrefix: snapshotNamePrefix(experiment.name, owner) };
  }

  /** For cost allocation, on every resource that can carry tags. */
  private tag(scope: IConstruct, experiment: DeployableExperiment, owner: string): void {
    const tags = { ...experiment.tags, experiment: experiment.name, owner };
    // Dashboards did not accept tags until recently, and not every Region and tool supports them yet.
    const options = { excludeResourceTypes: ['AWS::CloudWatch::Dashboard'] };
    for (const [key, value] of Object.entries(tags)) Tags.of(scope).add(key, value, options);
  }

  private results(experiment: string, owner: string, existing: IBucket | undefined): Binding['results'] {
    // The last part of the stack's id, so that a deploy after a destroy gets a new prefix.
    const deploy = Fn.select(2, Fn.split('/', Aws.STACK_ID));
    return {
      bucket: existing?.bucketName ?? StringParameter.valueForStringParameter(this, resultsBucketParameterName),
      prefix: `${experiment}/${owner}/${deploy}/`,
    };
  }

  private binding(binding: Binding): { parameter: CfnSsmParameter; name: string } {
    const name = bindingParameterName(binding.experiment.name, binding.owner);
    const parameter = new CfnSsmParameter(this, 'Binding', {
      name,
      type: 'String',
      // The standard tier allows 4 kB, which eight variants exceed; what exceeds 8 kB is refused (stack-size.ts).
      tier: 'Intelligent-Tiering',
      value: Stack.of(this).toJsonString(binding),
      description: 'Stack facts that the pgduet runner needs; contains no secret',
    });
    return { parameter, name };
  }

  private outputs(experiment: string, owner: string, results: Binding['results'], dashboardUrl: string): void {
    const output = (id: string, value: string, description: string) => new CfnOutput(this, id, { value, description });
    const { region } = Stack.of(this);
    output('Results', `s3://${results.bucket}/${results.prefix}`, 'Address of the results');
    output('Status', `s3://${results.bucket}/${results.prefix}${statusName}`, 'Run progress, in the S3 console');
    output('Watch', `${ownCommand} watch ${experiment} --owner ${owner} --region ${region}`, 'Shows live progress');
    output(
      'Session',
      `aws ssm start-session --region ${region} --target ${this.driver.instance.instanceId}`,
      'Opens a shell on the driver',
    );
    output('DashboardUrl', dashboardUrl, 'CloudWatch metrics of the variants side by side');
    output(
      'BindingParameter',
      bindingParameterName(experiment, owner),
      'SSM parameter with all addresses of this stack',
    );
  }

  private parameterArn(name: string): string {
    const { partition, region, account } = Stack.of(this);
    return `arn:${partition}:ssm:${region}:${account}:parameter${name}`;
  }

  private s3Arn(bucket: string, key: string): string {
    return `arn:${Stack.of(this).partition}:s3:::${bucket}/${key}`;
  }
}

function s3Address(asset: Asset): string {
  return `s3://${asset.s3BucketName}/${asset.s3ObjectKey}`;
}
