import {
  DescribeAvailabilityZonesCommand,
  DescribeInstanceTypeOfferingsCommand,
  DescribeSubnetsCommand,
  type EC2Client,
} from '@aws-sdk/client-ec2';
import { callAws } from '../../aws/call.ts';
import type { DeployableExperiment } from '../../experiment/deploy/deployable.ts';
import { UserError } from '../../contract/errors.ts';

export interface Zones {
  /** Names of the zones that a stack chooses from, in its order. */
  names: readonly string[];
  /** Ids by name: a name means another zone in every account, an id the same one. */
  ids: ReadonlyMap<string, string>;
}

/**
 * The zones of which a stack takes the first ones. It asks Fn::GetAZs, which gives the zones with a default subnet, or all
 * zones if no zone has one, in alphabetical order (CloudFormation Template Reference). Local and Wavelength Zones are left
 * out: RDS does not offer our databases there.
 */
export async function stackZones(ec2: EC2Client): Promise<Zones> {
  const { AvailabilityZones = [] } = await callAws('ec2:DescribeAvailabilityZones', 'this Region', () =>
    ec2.send(
      new DescribeAvailabilityZonesCommand({
        Filters: [
          { Name: 'zone-type', Values: ['availability-zone'] },
          { Name: 'state', Values: ['available'] },
        ],
      }),
    ),
  );
  const ids = new Map(
    AvailabilityZones.flatMap(({ ZoneName, ZoneId = '' }): [string, string][] =>
      ZoneName === undefined ? [] : [[ZoneName, ZoneId]],
    ),
  );
  const { Subnets = [] } = await callAws('ec2:DescribeSubnets', 'the default VPC', () =>
    ec2.send(new DescribeSubnetsCommand({ Filters: [{ Name: 'default-for-az', Values: ['true'] }] })),
  );
  const withDefault = [...ids.keys()].filter((name) =>
    Subnets.some(({ AvailabilityZone }) => AvailabilityZone === name),
  );
  return { names: (withDefault.length > 0 ? withDefault : [...ids.keys()]).sort(), ids };
}

/**
 * Zones that have the instance type.
 *
 * @throws {UserError} if the Region does not have it at all
 */
export async function driverZones(ec2: EC2Client, instanceType: string): Promise<string[]> {
  const { InstanceTypeOfferings = [] } = await callAws('ec2:DescribeInstanceTypeOfferings', instanceType, () =>
    ec2.send(
      new DescribeInstanceTypeOfferingsCommand({
        LocationType: 'availability-zone',
        Filters: [{ Name: 'instance-type', Values: [instanceType] }],
      }),
    ),
  );
  const zones = InstanceTypeOfferings.flatMap(({ Location }) => Location ?? []).sort();
  if (zones.length === 0) throw new UserError(`EC2 has no ${instanceType} in this Region. Change driver.class.`);
  return zones;
}

/**
 * Proves that driver and variants can be where the stack would put them: together in one zone, a database with standbys over
 * the zones of the database subnets.
 *
 * @param zones of the stack (by choice or of the subnets of an existing VPC), of the driver's class, and of each variant
 * @returns the driver's zone
 * @throws {UserError} with the zones that would do
 */
export function chooseZone(
  { network, variants }: Pick<DeployableExperiment, 'network' | 'variants'>,
  zones: { stack: readonly string[]; driver: readonly string[]; variants: ReadonlyMap<string, readonly string[]> },
): string {
  const needed = zonesNeeded({ variants });
  // The network chooses the same way if the experiment names no zone.
  const chosen = network.availabilityZone ?? zones.stack[0];
  if (chosen === undefined || (network.mode !== 'existing' && zones.stack.length < needed)) {
    throw new UserError(
      `A stack would have ${zones.stack.length} zones here (${zones.stack.join(', ')}), and needs ${needed}. It gets only zones with a default subnet, if there are any: make the missing ones with \`aws ec2 create-default-subnet\`, or choose another Region.`,
    );
  }
  const subnets = network.mode === 'existing' ? zones.stack : [chosen, ...zones.stack.slice(0, needed)];
  for (const [name, here] of zones.variants) {
    const { deployment } = variants[name] ?? {};
    const wanted = deployment === 'multi-az-cluster' ? 3 : 2;
    const count = new Set(subnets.filter((zone) => here.includes(zone))).size;
    if (deployment !== 'single-az' && count < wanted) {
      throw new UserError(
        `Variant ${name} needs ${wanted} zones, and RDS has it in ${count} of those with a database subnet (${[...new Set(subnets)].join(', ')}). Name a zone that has it in network.availabilityZone, or choose another class or Region.`,
      );
    }
  }
  const possible = (network.mode === 'existing' ? zones.stack : zones.driver).filter(
    (zone) => zones.driver.includes(zone) && [...zones.variants.values()].every((here) => here.includes(zone)),
  );
  if (possible.includes(chosen)) return chosen;
  if (possible.length === 0) {
    throw new UserError(
      'No zone of this Region has the driver and every variant. Choose other classes or another Region.',
    );
  }
  throw new UserError(
    `${chosen} does not have the driver and every variant. Set network.availabilityZone to ${possible.join(' or ')}.`,
  );
}

/** Zones that the database subnets must span: the network makes as many. */
export function zonesNeeded({ variants }: Pick<DeployableExperiment, 'variants'>): 2 | 3 {
  return Object.values(variants).some(({ deployment }) => deployment === 'multi-az-cluster') ? 3 : 2;
}
