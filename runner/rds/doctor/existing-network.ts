import {
  DescribeRouteTablesCommand,
  DescribeSubnetsCommand,
  DescribeVpcEndpointsCommand,
  type EC2Client,
  type RouteTable,
  type Subnet,
} from '@aws-sdk/client-ec2';
import { callAws } from '../aws/call.ts';
import { calledServices } from '../deploy/aws-sources.ts';
import type { DeployableExperiment } from '../deploy/deployable.ts';
import { UserError } from '../../contract/errors.ts';
import { zonesNeeded } from '../deployments/registry.ts';

type ExistingNetwork = Extract<DeployableExperiment['network'], { mode: 'existing' }>;

/**
 * Checks that the subnets of an existing VPC are where the stack needs them, and that AWS can be reached from the
 * driver's subnet.
 *
 * @returns the zones of the database subnets
 * @throws {UserError} with a line for each problem
 */
export async function requireNetwork(
  ec2: EC2Client,
  network: ExistingNetwork,
  experiment: Pick<DeployableExperiment, 'variants' | 'collect' | 'monitoring'> & { region: string },
): Promise<string[]> {
  const { vpcId, driverSubnetId, databaseSubnetIds, availabilityZone } = network;
  const ids = [...new Set([driverSubnetId, ...databaseSubnetIds])];
  const { Subnets = [] } = await callAws('ec2:DescribeSubnets', ids.join(', '), () =>
    ec2.send(new DescribeSubnetsCommand({ SubnetIds: ids })),
  );
  const driver = Subnets.find(({ SubnetId }) => SubnetId === driverSubnetId);
  const zones = zonesOf(Subnets.filter(({ SubnetId = '' }) => databaseSubnetIds.includes(SubnetId)));
  const needed = zonesNeeded(experiment);
  const problems = [
    ...Subnets.filter((subnet) => subnet.VpcId !== vpcId).map(
      ({ SubnetId, VpcId }) => `${SubnetId} is in ${VpcId}, but network.vpcId is ${vpcId}.`,
    ),
    ...(driver?.AvailabilityZone === availabilityZone
      ? []
      : [
          `network.driverSubnetId is in ${driver?.AvailabilityZone ?? 'no zone'}: set network.availabilityZone to it, or name a subnet in ${availabilityZone}.`,
        ]),
    ...(zones.length >= needed
      ? []
      : [
          `network.databaseSubnetIds are in ${zones.join(', ')}, but the variants need ${needed} zones. Add subnets in other zones.`,
        ]),
    ...(zones.includes(availabilityZone)
      ? []
      : [`network.databaseSubnetIds has no subnet in ${availabilityZone}, the driver’s zone. Add one.`]),
    ...(await routeProblems(ec2, network, { region: experiment.region, called: calledServices(experiment) })),
  ];
  if (problems.length > 0) throw new UserError(problems);
  return zones;
}

function zonesOf(subnets: readonly Subnet[]): string[] {
  return [...new Set(subnets.flatMap(({ AvailabilityZone }) => AvailabilityZone ?? []))].sort();
}

/** @param called names of the services that the driver calls */
async function routeProblems(
  ec2: EC2Client,
  network: ExistingNetwork,
  { region, called }: { region: string; called: readonly string[] },
): Promise<string[]> {
  const { driverSubnetId, publicAddress } = network;
  const table = await routeTableOf(ec2, network);
  const out = table?.Routes?.find(
    ({ DestinationCidrBlock, State }) => DestinationCidrBlock === '0.0.0.0/0' && State !== 'blackhole',
  );
  if (out?.GatewayId?.startsWith('igw-')) {
    return publicAddress
      ? []
      : [
          `${driverSubnetId} uses an internet gateway, for which the driver needs a public address. Set network.publicAddress: true, or name a subnet with a NAT gateway.`,
        ];
  }
  if (out) return [];
  const missing = await missingEndpoints(ec2, network, { table, region, called });
  return missing.length === 0
    ? []
    : [
        `${driverSubnetId} has no route out, and its VPC has no endpoint for ${missing.join(', ')}, so the driver could not call them. Add a NAT gateway or the endpoints.`,
      ];
}

/** The route table of the driver's subnet, or the VPC's main one if the subnet has none. */
async function routeTableOf(
  ec2: EC2Client,
  { vpcId, driverSubnetId }: ExistingNetwork,
): Promise<RouteTable | undefined> {
  const { RouteTables = [] } = await callAws('ec2:DescribeRouteTables', vpcId, () =>
    ec2.send(new DescribeRouteTablesCommand({ Filters: [{ Name: 'vpc-id', Values: [vpcId] }] })),
  );
  const associated = (fits: (association: { SubnetId?: string; Main?: boolean }) => boolean): RouteTable | undefined =>
    RouteTables.find(({ Associations = [] }) => Associations.some(fits));
  return associated(({ SubnetId }) => SubnetId === driverSubnetId) ?? associated(({ Main }) => Main === true);
}

async function missingEndpoints(
  ec2: EC2Client,
  { vpcId }: ExistingNetwork,
  { table, region, called }: { table: RouteTable | undefined; region: string; called: readonly string[] },
): Promise<string[]> {
  const { VpcEndpoints = [] } = await callAws('ec2:DescribeVpcEndpoints', vpcId, () =>
    ec2.send(new DescribeVpcEndpointsCommand({ Filters: [{ Name: 'vpc-id', Values: [vpcId] }] })),
  );
  const usable = VpcEndpoints.filter(
    ({ State, VpcEndpointType, RouteTableIds = [] }) =>
      State?.toLowerCase() === 'available' &&
      (VpcEndpointType !== 'Gateway' || RouteTableIds.includes(table?.RouteTableId ?? '')),
  );
  return called.filter((service) =>
    usable.every(({ ServiceName }) => ServiceName !== `com.amazonaws.${region}.${service}`),
  );
}
