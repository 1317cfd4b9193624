import { Token } from 'aws-cdk-lib';
import { type ISubnet, type IVpc, type SubnetSelection, SubnetType } from 'aws-cdk-lib/aws-ec2';
import { UserError } from '../runner/contract/errors.ts';
import type { DeployableExperiment } from '../runner/rds/deploy/deployable.ts';
import { zonesNeeded } from '../runner/rds/deployments/registry.ts';
import type { ExistingNetwork } from './constructs/network.ts';

/** The network that an app names. @throws {UserError} if it has not the subnets that RDS needs */
export function existingNetwork(
  vpc: IVpc,
  { driverSubnet, databaseSubnets }: { driverSubnet?: SubnetSelection; databaseSubnets?: SubnetSelection },
  { variants }: DeployableExperiment,
): ExistingNetwork {
  const usual = vpc.privateSubnets.length > 0 ? SubnetType.PRIVATE_WITH_EGRESS : SubnetType.PUBLIC;
  const [driver] = vpc.selectSubnets(driverSubnet ?? { subnetType: usual }).subnets;
  if (!driver) throw new UserError('driverSubnet selects no subnet of vpc. Select the one that the driver goes into.');
  const defaultDatabaseSubnets =
    vpc.isolatedSubnets.length > 0 ? SubnetType.PRIVATE_ISOLATED : SubnetType.PRIVATE_WITH_EGRESS;
  const { subnets } = vpc.selectSubnets(databaseSubnets ?? { subnetType: defaultDatabaseSubnets });
  const zones = zonesNeeded({ variants });
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
export function describedNetwork({
  vpc,
  driverSubnet,
  databaseSubnets,
  publicAddress,
}: ExistingNetwork): DeployableExperiment['network'] {
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
