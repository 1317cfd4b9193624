import type { Experiment } from '../../contract/experiment/schema.ts';
import { UserError } from '../../contract/errors.ts';

/**
 * The experiment in another zone than its file says.
 *
 * @param zone what the user says after `-c zone=`
 * @param region where it would be deployed
 * @throws {UserError} if the Region has no such zone, or if the zone is that of an existing subnet
 */
export function inZone(experiment: Experiment, zone: string, region: string): Experiment {
  const { network } = experiment;
  if (!zone.startsWith(region) || !/^[a-z]$/.test(zone.slice(region.length))) {
    throw new UserError(
      `-c zone=${zone} is not an Availability Zone of ${region}, such as ${region}b. Name one of this Region, or set AWS_REGION.`,
    );
  }
  if (network.mode === 'existing') {
    throw new UserError(
      `-c zone=${zone}: network.mode is existing, so the zone is that of network.driverSubnetId, ${network.availabilityZone}. Omit -c zone, or name other subnets in the experiment file.`,
    );
  }
  return { ...experiment, network: { ...network, availabilityZone: zone } };
}
