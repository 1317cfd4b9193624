import { describe, expect, it } from 'vitest';
import { calledServices } from '../../../runner/rds/deploy/aws-sources.ts';
import { chooseZone } from '../../../runner/rds/doctor/choose-zone.ts';
import { dlv, ec2Answer, examine, notesOf, problems, withDeployment, zones } from '../../helpers/fakes/fake-account.ts';
import { xmlError } from '../../helpers/fakes/fake-aws.ts';

describe('the zone that a stack takes', () => {
  it('is the first with a default subnet, as CloudFormation counts them', async () => {
    const outcomes = await examine({ defaultZones: ['us-east-1c', 'us-east-1b'] });
    expect(outcomes.find(({ name }) => name === 'zone')?.detail).toMatch(/^us-east-1b \(use1-az2\);/);
  });

  it('is the first of all if no zone has a default subnet', async () => {
    const outcomes = await examine({ defaultZones: [] });
    expect(outcomes.find(({ name }) => name === 'zone')?.detail).toMatch(/^us-east-1a \(use1-az1\);/);
  });

  it('is missing if there are fewer zones with a default subnet than the databases need', async () => {
    expect(await problems({ defaultZones: ['us-east-1b', 'us-east-1c'] }, withDeployment('multi-az-cluster'))).toEqual([
      expect.stringContaining('The stack can use only 2 zones here (us-east-1b, us-east-1c), but needs 3.'),
    ]);
  });

  it('comes with the options for the other zones that offer everything, in the order in which to try them', async () => {
    const outcomes = await examine({ driverZones: ['us-east-1a', 'us-east-1c'] });
    expect(outcomes.find(({ name }) => name === 'zone')?.detail).toBe(
      'us-east-1a (use1-az1); if it has no capacity, deploy with -c zone=us-east-1c',
    );
    const nowhereElse = await examine({ driverZones: ['us-east-1a'] });
    expect(nowhereElse.find(({ name }) => name === 'zone')?.detail).toBe('us-east-1a (use1-az1)');
  });

  it('must have standbys among the zones of the database subnets, not anywhere in the Region', () => {
    const experiment = { network: { mode: 'public-driver' as const }, variants: dlv().variants };
    const [one] = Object.values(experiment.variants);
    if (!one) throw new Error('dlv-pgbench has variants');
    const variants = { a: { ...one, deployment: 'multi-az-instance' as const } };
    const found = () =>
      chooseZone(
        { ...experiment, variants },
        { stack: zones, driver: zones, variants: new Map([['a', ['us-east-1a', 'us-east-1c']]]) },
      );
    expect(found).toThrow(
      /needs 2 zones, but RDS offers it in only 1 of those with a database subnet \(us-east-1a, us-east-1b\)\. Deploy with -c zone=us-east-1c\./,
    );
  });
});

describe('a private network', () => {
  it('needs an endpoint for each service that the driver calls, in its zone', async () => {
    expect(await problems({ withoutEndpoint: ['pi', 'rds'] })).toEqual([
      'AWS offers no endpoint for pi, rds in us-east-1a, and a private network has no other way to it. Deploy into another zone with -c zone=ZONE, or set network.mode to public-driver.',
    ]);
    const elsewhere = { mode: 'private' as const, availabilityZone: 'us-east-1b' };
    expect(await problems({ withoutEndpoint: ['pi'] }, dlv({ network: elsewhere }))).toEqual([]);
    expect(await problems({ withoutEndpoint: ['pi'] }, dlv({ network: { mode: 'public-driver' } }))).toEqual([]);
  });

  it('is not examined without the permission to do so, which is a note', async () => {
    const denied = xmlError('UnauthorizedOperation', 'You are not authorized to perform this operation.', 403);
    expect(await notesOf('endpoints', { answers: { DescribeVpcEndpointServices: denied } })).toEqual([
      expect.stringContaining('ec2:DescribeVpcEndpointServices'),
    ]);
  });
});

describe('an existing VPC', () => {
  const vpcId = 'vpc-0123456789abcdef0';
  const id = (last: number): string => `subnet-0123456789abcde${last.toString().padStart(2, '0')}`;
  const network = {
    mode: 'existing' as const,
    vpcId,
    driverSubnetId: id(1),
    databaseSubnetIds: [id(2), id(3)],
    availabilityZone: 'us-east-1b',
    publicAddress: false,
    reason: 'the security team wants it there',
  };
  interface Vpc {
    /** Zone of each subnet. */
    zones?: [driver: string, first: string, second: string];
    /** VPC of the driver's subnet. */
    vpc?: string;
    /** Where the driver's subnet leads, such as `<natGatewayId>nat-1</natGatewayId>`. */
    route?: string;
    /** Services with an endpoint. */
    endpoints?: string[];
  }
  const found = ({ vpc = vpcId, route = '<natGatewayId>nat-1</natGatewayId>', ...rest }: Vpc = {}, changes = {}) => {
    const [driver, first, second] = rest.zones ?? ['us-east-1b', 'us-east-1b', 'us-east-1c'];
    const subnet = (subnetId: string, inVpc: string, zone: string): string =>
      `<item><subnetId>${subnetId}</subnetId><vpcId>${inVpc}</vpcId><availabilityZone>${zone}</availabilityZone></item>`;
    const routes = `<routeTableId>rtb-1</routeTableId><routeSet><item><destinationCidrBlock>0.0.0.0/0</destinationCidrBlock>${route}<state>active</state></item></routeSet>`;
    return problems(
      {
        // No room for one more VPC, which is not needed.
        vpcs: 5,
        answers: {
          DescribeSubnets: ec2Answer(
            'DescribeSubnets',
            `<subnetSet>${subnet(id(1), vpc, driver)}${subnet(id(2), vpcId, first)}${subnet(id(3), vpcId, second)}</subnetSet>`,
          ),
          DescribeRouteTables: ec2Answer(
            'DescribeRouteTables',
            `<routeTableSet><item><associationSet><item><main>true</main></item></associationSet>${route === '' ? '' : routes}</item></routeTableSet>`,
          ),
          DescribeVpcEndpoints: ec2Answer(
            'DescribeVpcEndpoints',
            `<vpcEndpointSet>${(rest.endpoints ?? []).map((name) => `<item><state>available</state><vpcEndpointType>Interface</vpcEndpointType><serviceName>com.amazonaws.us-east-1.${name}</serviceName></item>`).join('')}</vpcEndpointSet>`,
          ),
        },
      },
      dlv({ network: { ...network, ...changes } }),
    );
  };

  it('passes with subnets in the right zones and a way out', async () => {
    expect(await found()).toEqual([]);
  });

  it('is refused with everything that is wrong about its subnets', async () => {
    expect(await found({ vpc: 'vpc-9', zones: ['us-east-1a', 'us-east-1c', 'us-east-1c'] })).toEqual([
      `${id(1)} is in vpc-9, but network.vpcId is ${vpcId}.`,
      'network.driverSubnetId is in us-east-1a: set network.availabilityZone to it, or name a subnet in us-east-1b.',
      'network.databaseSubnetIds are in us-east-1c, but the variants need 2 zones. Add subnets in other zones.',
      'network.databaseSubnetIds has no subnet in us-east-1b, the driver’s zone. Add one.',
    ]);
  });

  it('needs a public address for an internet gateway', async () => {
    const route = '<gatewayId>igw-1</gatewayId>';
    expect(await found({ route })).toEqual([expect.stringContaining('network.publicAddress: true')]);
    expect(await found({ route }, { publicAddress: true })).toEqual([]);
  });

  it('needs the endpoints of the services that the driver calls if there is no way out', async () => {
    expect(await found({ route: '', endpoints: ['rds', 's3'] })).toEqual([
      expect.stringContaining('no endpoint for cloudformation, logs, monitoring, pi, secretsmanager, ssm, ssmmessages'),
    ]);
    expect(await found({ route: '', endpoints: calledServices(dlv()) })).toEqual([]);
  });
});
