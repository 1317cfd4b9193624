import type { DeployableExperiment } from '../deploy/deployable.ts';
import { deploymentOf, zonesNeeded } from '../deployments/registry.ts';
import { UserError } from '../../contract/errors.ts';

export interface ZoneChoice {
  /** Zone of the driver. */
  chosen: string;
  /** Other zones that a deploy may name, each of which offers all of the experiment, in the order of their names. */
  others: readonly string[];
}

/**
 * Checks that the driver and variants can be where the stack would put them: together in one zone, and databases with
 * standbys across the zones of the database subnets.
 *
 * @param zones of the stack (those it chooses from, or those of an existing VPC's subnets), of the driver's class, and
 * of each variant
 * @throws {UserError} with the zones that are possible
 */
export function chooseZone(
  { network, variants }: Pick<DeployableExperiment, 'network' | 'variants'>,
  zones: { stack: readonly string[]; driver: readonly string[]; variants: ReadonlyMap<string, readonly string[]> },
): ZoneChoice {
  const isExisting = network.mode === 'existing';
  const needed = zonesNeeded({ variants });
  // The network chooses the same way if the experiment names no zone.
  const chosen = network.availabilityZone ?? zones.stack[0];
  if (chosen === undefined || (!isExisting && zones.stack.length < needed)) {
    throw new UserError(
      `The stack can use only ${zones.stack.length} zones here (${zones.stack.join(', ')}), but needs ${needed}. If any zone has a default subnet, CloudFormation offers only zones that have one. Make the missing ones with \`aws ec2 create-default-subnet\`, or choose another Region.`,
    );
  }
  const subnetsOf = (zone: string): readonly string[] =>
    isExisting ? zones.stack : [...new Set([zone, ...zones.stack.slice(0, needed)])];
  const possible = (isExisting ? zones.stack : zones.driver).filter(
    (zone) =>
      [zones.driver, ...zones.variants.values()].every((here) => here.includes(zone)) &&
      lackingStandby(variants, subnetsOf(zone), zones.variants) === null,
  );
  const others = possible.filter((zone) => zone !== chosen);
  if (possible.includes(chosen)) return { chosen, others: isExisting ? [] : others };
  const remedy =
    others.length === 0
      ? 'Choose another class or Region.'
      : isExisting
        ? `Choose a driver subnet in ${others.join(' or ')}.`
        : `Deploy with ${others.map(zoneOption).join(' or ')}.`;
  const subnets = subnetsOf(chosen);
  const lacking = lackingStandby(variants, subnets, zones.variants);
  if (lacking) {
    throw new UserError(
      `Variant ${lacking.name} needs ${lacking.wanted} zones, but RDS offers it in only ${lacking.count} of those with a database subnet (${subnets.join(', ')}). ${remedy}`,
    );
  }
  throw new UserError(
    others.length === 0
      ? 'No zone of this Region offers both the driver and every variant. Choose other classes or another Region.'
      : `${chosen} does not offer both the driver and every variant. ${remedy}`,
  );
}

/** The word of a deploy that names a zone. */
export function zoneOption(zone: string): string {
  return `-c zone=${zone}`;
}

/** A variant with standbys that RDS offers in too few of the zones with a database subnet; null if there is none. */
function lackingStandby(
  variants: DeployableExperiment['variants'],
  subnets: readonly string[],
  offered: ReadonlyMap<string, readonly string[]>,
): { name: string; wanted: number; count: number } | null {
  for (const [name, here] of offered) {
    const { zones: wanted } = deploymentOf(variants[name] ?? {});
    const count = subnets.filter((zone) => here.includes(zone)).length;
    if (wanted > 1 && count < wanted) return { name, wanted, count };
  }
  return null;
}
