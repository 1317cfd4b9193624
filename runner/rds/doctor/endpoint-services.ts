import { DescribeVpcEndpointServicesCommand, type EC2Client } from '@aws-sdk/client-ec2';
import { callAws } from '../aws/call.ts';
import { UserError } from '../../contract/errors.ts';

/**
 * Checks that AWS offers an endpoint for each service that the driver of a private network calls, in its zone.
 *
 * @param called names of the services, such as `rds`
 * @throws {UserError} with the services that have none there
 */
export async function requireEndpointServices(
  ec2: EC2Client,
  { region, zone, called }: { region: string; zone: string; called: readonly string[] },
): Promise<void> {
  const names = new Map(called.map((service) => [`com.amazonaws.${region}.${service}`, service]));
  const { ServiceDetails = [] } = await callAws('ec2:DescribeVpcEndpointServices', region, () =>
    ec2.send(
      new DescribeVpcEndpointServicesCommand({ Filters: [{ Name: 'service-name', Values: [...names.keys()] }] }),
    ),
  );
  const missing = [...names].flatMap(([name, service]) =>
    ServiceDetails.some(
      ({ ServiceName, AvailabilityZones = [] }) => ServiceName === name && AvailabilityZones.includes(zone),
    )
      ? []
      : [service],
  );
  if (missing.length > 0) {
    throw new UserError(
      `AWS offers no endpoint for ${missing.join(', ')} in ${zone}, and a private network has no other way to it. Deploy into another zone with -c zone=ZONE, or set network.mode to public-driver.`,
    );
  }
}
