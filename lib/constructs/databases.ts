import { RemovalPolicy } from 'aws-cdk-lib';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { DatabaseInstance, DatabaseInstanceEngine, ParameterGroup, PostgresEngineVersion } from 'aws-cdk-lib/aws-rds';
import { Construct, type IConstruct } from 'constructs';
import type { VariantBinding } from '../../runner/rds/contract/binding.ts';
import { serverName, serversOf } from '../../runner/contract/server.ts';
import { type DeployableVariant, parameterGroupKey } from '../../runner/rds/deploy/deployable.ts';
import { boundVariant } from '../../runner/rds/deploy/stack-size.ts';
import { proxyOf } from '../../runner/rds/deployments/proxy.ts';
import { deploymentOf } from '../../runner/rds/deployments/registry.ts';
import { databaseIdentifier } from '../identifiers.ts';
import { constructs } from './every-construct.ts';
import { MonitoringRole } from './monitoring-role.ts';
import { Proxies, type ProxyArns } from './proxies.ts';
import type { DatabasesProps } from './variant-props.ts';

/** One database for each variant, or for each of its replicas. All are alike in what the experiment does not vary. */
export class Databases extends Construct {
  /** The variants as the binding describes them, by name. */
  readonly variants: Record<string, VariantBinding> = {};
  /** DbiResourceId by the instance's identifier. RDS makes the members of clusters, so theirs are not known here. */
  readonly resourceIds = new Map<string, string>();
  readonly proxies: ProxyArns[] = [];
  private readonly servers: IConstruct[] = [];
  private readonly groups = new Map<string, { group: ParameterGroup; name: string }>();

  constructor(scope: Construct, id: string, props: DatabasesProps) {
    super(scope, id);
    const { experiment } = props;
    const monitored = experiment.monitoring.enhancedMonitoringSeconds > 0;
    const monitoringRole = monitored ? new MonitoringRole(this, 'Monitoring') : undefined;
    const isProxied = Object.values(experiment.variants).some((variant) => proxyOf(variant) !== null);
    const proxies = isProxied ? new Proxies(this, 'Proxies', props) : undefined;
    for (const [name, variant] of Object.entries(experiment.variants)) {
      const asked = proxyOf(variant);
      const deployment = deploymentOf(variant);
      const { make, nameOf } = constructs[deployment.kind] ?? {};
      if (!make || !nameOf) throw new Error(`no construct makes ${deployment.words}`);
      const parameters = this.parameters(name, variant, nameOf);
      const identifiers = serversOf([name], experiment.protocol.replicas).map((server) => {
        const identifier = databaseIdentifier(experiment.name, props.owner, server);
        const logs = this.logs(serverName(server), deployment.logGroup(identifier), experiment);
        const database = make(this, serverName(server), {
          ...props,
          variant,
          identifier,
          parameters: parameters.group,
          monitoringRole,
          removalPolicy: experiment.removal.finalSnapshot ? RemovalPolicy.SNAPSHOT : RemovalPolicy.DESTROY,
        });
        // Otherwise RDS may make the log group first, without a retention, and it would outlive the stack.
        database.node.addDependency(logs);
        this.servers.push(database);
        if (database instanceof DatabaseInstance && database.instanceResourceId !== undefined) {
          this.resourceIds.set(identifier, database.instanceResourceId);
        }
        if (proxies && asked) {
          const { proxy, ...arns } = proxies.before(database, { ...asked, identifier }, serverName(server));
          this.servers.push(proxy);
          this.proxies.push(arns);
        }
        return identifier;
      });
      this.variants[name] = boundVariant(
        { variant, experiment, availabilityZone: props.network.availabilityZone, parameterGroup: parameters.name },
        identifiers,
      );
    }
  }

  /** Makes none of them before something else is there. What belongs to them, such as parameters, costs nothing. */
  makeAfter(other: IConstruct): void {
    for (const server of this.servers) server.node.addDependency(other);
  }

  private parameters(name: string, variant: DeployableVariant, nameOf: (group: ParameterGroup) => string) {
    const { engine } = variant;
    const key = parameterGroupKey(variant);
    const known = this.groups.get(key);
    if (known) return known;
    const group = new ParameterGroup(this, `Parameters-${name}`, {
      engine: DatabaseInstanceEngine.postgres({ version: PostgresEngineVersion.of(engine.version, `${engine.major}`) }),
      description: `pgduet, PostgreSQL ${engine.major}`,
      parameters: engine.parameters,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const bound = { group, name: nameOf(group) };
    this.groups.set(key, bound);
    return bound;
  }

  private logs(
    server: string,
    logGroupName: string,
    { monitoring, encryption }: DatabasesProps['experiment'],
  ): CfnLogGroup {
    const group = new CfnLogGroup(this, `Logs-${server}`, {
      logGroupName,
      retentionInDays: monitoring.logRetentionDays,
      kmsKeyId: encryption?.kmsKeyArn,
    });
    group.applyRemovalPolicy(RemovalPolicy.DESTROY);
    return group;
  }
}
