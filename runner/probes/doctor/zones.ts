import {
  DescribeAvailabilityZonesCommand,
  DescribeInstanceTypeOfferingsCommand,
  type EC2Client,
} from '@aws-sdk/client-ec2';
import { callAws } from '../../aws/call.ts';
import type { DeployableExperiment } from '../../experiment/deploy/deployable.ts';
import { UserError } from '../../contract/errors.ts';

/**
 * Zones that are open to the account, in order. Local and Wavelength Zones are left out: RDS does not offer our databases
 * there.
 */
export async function openZones(ec2: EC2Client): Promise<string[]> {
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
  return AvailabilityZones.flatMap(({ ZoneName }) => ZoneName ?? []).sort();
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
 * Proves that driver and variants can be where the stack would put them: together in one zone, a cluster over three.
 *
 * @param variants for each variant the zones in which it can be made
 * @throws {UserError} with the zones that would do
 */
export function chooseZone(
  experiment: Pick<DeployableExperiment, 'network' | 'variants'>,
  zones: { open: readonly string[]; driver: readonly string[]; variants: ReadonlyMap<string, readonly string[]> },
): string {
  for (const [name, here] of zones.variants) {
    const count = here.filter((zone) => zones.open.includes(zone)).length;
    const needed = experiment.variants[name]?.deployment === 'multi-az-cluster' ? 3 : 2;
    if (experiment.variants[name]?.deployment !== 'single-az' && count < needed) {
      throw new UserError(
        `Variant ${name} needs ${needed} zones, and this Region has it in ${count}. Choose another Region.`,
      );
    }
  }
  const possible = zones.open.filter(
    (zone) => zones.driver.includes(zone) && [...zones.variants.values()].every((here) => here.includes(zone)),
  );
  // The network chooses the same way if the experiment names no zone: the first of the account's zones.
  const chosen = experiment.network.availabilityZone ?? zones.open[0];
  if (chosen !== undefined && possible.includes(chosen)) return chosen;
  if (possible.length === 0) {
    throw new UserError(
      'No zone of this Region has the driver and every variant. Choose other classes or another Region.',
    );
  }
  throw new UserError(
    `${chosen ?? 'The zone'} does not have the driver and every variant. Set network.availabilityZone to ${possible.join(' or ')}.`,
  );
}
