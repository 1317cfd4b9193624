import { Port, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnDBProxy, CfnDBProxyTargetGroup } from 'aws-cdk-lib/aws-rds';
import { Construct, type IConstruct } from 'constructs';
import { proxyPort, type RdsProxy, targetGroupName } from '../../runner/rds/deployments/proxy.ts';
import type { MasterCredentials } from './credentials.ts';
import { type Network, postgresPort } from './network.ts';
import { only } from './permissions/permission.ts';

/** ARNs of a proxy and of its group of targets. RDS chooses the ids in them. */
export interface ProxyArns {
  readonly proxyArn: string;
  readonly targetGroupArn: string;
}

interface ProxiesProps {
  readonly network: Network;
  readonly credentials: MasterCredentials;
}

/**
 * The RDS proxies of a stack. They share a security group, between that of the driver and that of the databases, and a role
 * that reads the password. The library's own construct would let the role read the description of the secret, too, and would
 * leave out the key of a secret that exists.
 */
export class Proxies extends Construct {
  private readonly props: ProxiesProps;
  private readonly role: Role;
  private readonly securityGroup: SecurityGroup;

  constructor(scope: Construct, id: string, props: ProxiesProps) {
    super(scope, id);
    this.props = props;
    const { network, credentials } = props;
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('rds.amazonaws.com'),
      description: 'RDS Proxy of a pgduet experiment: reads the password of the databases',
      inlinePolicies: { password: passwordPolicy(credentials) },
    });
    this.securityGroup = new SecurityGroup(this, 'SecurityGroup', {
      vpc: network.vpc,
      description: 'pgduet proxies: PostgreSQL from the driver, and to the databases',
      allowAllOutbound: false,
    });
    this.securityGroup.addIngressRule(network.driverSecurityGroup, Port.tcp(proxyPort), 'PostgreSQL from the driver');
    network.driverSecurityGroup.addEgressRule(this.securityGroup, Port.tcp(proxyPort), 'PostgreSQL by a proxy');
    this.securityGroup.addEgressRule(network.databaseSecurityGroup, Port.tcp(postgresPort), 'PostgreSQL');
    network.databaseSecurityGroup.addIngressRule(
      this.securityGroup,
      Port.tcp(postgresPort),
      'PostgreSQL from the proxies',
    );
  }

  /**
   * Puts a proxy of the same name before a database. Only encrypted connections reach it, and no public ones.
   *
   * @returns its ARNs, and the proxy itself, which costs money
   */
  before(
    database: IConstruct,
    { identifier, maxConnectionsPercent }: { identifier: string } & Pick<RdsProxy, 'maxConnectionsPercent'>,
    server: string,
  ): ProxyArns & { readonly proxy: CfnDBProxy } {
    const { network, credentials } = this.props;
    const proxy = new CfnDBProxy(this, server, {
      dbProxyName: identifier,
      engineFamily: 'POSTGRESQL',
      auth: [
        {
          authScheme: 'SECRETS',
          secretArn: credentials.secret.secretArn,
          iamAuth: 'DISABLED',
          clientPasswordAuthType: 'POSTGRES_SCRAM_SHA_256',
        },
      ],
      requireTls: true,
      roleArn: this.role.roleArn,
      vpcSubnetIds: network.databaseSubnetIds,
      vpcSecurityGroupIds: [this.securityGroup.securityGroupId],
    });
    // RDS looks whether it can read the password when it makes the proxy.
    proxy.node.addDependency(this.role);
    const targets = new CfnDBProxyTargetGroup(this, `Targets-${server}`, {
      dbProxyName: proxy.ref,
      targetGroupName,
      dbInstanceIdentifiers: [identifier],
      connectionPoolConfigurationInfo: { maxConnectionsPercent },
    });
    targets.node.addDependency(database);
    return { proxy, proxyArn: proxy.attrDbProxyArn, targetGroupArn: targets.attrTargetGroupArn };
  }
}

/** @see https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/rds-proxy-iam-setup.html */
function passwordPolicy({ secret, kmsKeyArn }: MasterCredentials): PolicyDocument {
  return new PolicyDocument({
    statements: [
      new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secret.secretArn] }),
      ...(kmsKeyArn === undefined
        ? []
        : [
            new PolicyStatement({
              actions: ['kms:Decrypt'],
              resources: [kmsKeyArn],
              conditions: only('secretsmanager'),
            }),
          ]),
    ],
  });
}
