import { expect, it } from 'vitest';
import { calledServices } from '../../runner/rds/deploy/aws-sources.ts';
import { dlv, ec2Answer, encryption, examine, withDeployment } from '../helpers/fakes/fake-account.ts';
import { jsonAnswer, jsonError, s3Error, xmlError } from '../helpers/fakes/fake-aws.ts';

type Examined = Parameters<typeof examine>;

const bucket = 'GET /cdk-hnb659fds-assets-123456789012-us-east-1/?encryption=';
const key = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd';
const ownKey = (id: string) => encryption(`<SSEAlgorithm>aws:kms</SSEAlgorithm><KMSMasterKeyID>${id}</KMSMasterKeyID>`);
const results = { 'GET /pgduet-results/?encryption=': ownKey(key) };
const thisExperiment = {
  GetParameter: jsonAnswer({ Parameter: { Value: '28' } }),
  'GET /28/?encryption=': encryption('<SSEAlgorithm>AES256</SSEAlgorithm>'),
};
const running = ['m5.4xlarge', 'm5.4xlarge', 'p4d.24xlarge'];
const publicDriver = dlv({ network: { mode: 'public-driver' } });

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
/** An account with this VPC, and no room for one more, which is not needed. */
const inVpc = (
  { vpc = vpcId, route = '<natGatewayId>nat-1</natGatewayId>', ...rest }: Vpc = {},
  changes = {},
): Examined => {
  const [driver, first, second] = rest.zones ?? ['us-east-1b', 'us-east-1b', 'us-east-1c'];
  const subnet = (subnetId: string, inVpc: string, zone: string): string =>
    `<item><subnetId>${subnetId}</subnetId><vpcId>${inVpc}</vpcId><availabilityZone>${zone}</availabilityZone></item>`;
  const routes = `<routeTableId>rtb-1</routeTableId><routeSet><item><destinationCidrBlock>0.0.0.0/0</destinationCidrBlock>${route}<state>active</state></item></routeSet>`;
  return [
    {
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
  ];
};

const internetGateway = '<gatewayId>igw-1</gatewayId>';

const detector = (status: string, management: string) => ({
  'GET /detector': jsonAnswer({ detectorIds: ['abc'] }),
  'GET /detector/abc': jsonAnswer({
    status: 'ENABLED',
    features: [
      {
        name: 'RUNTIME_MONITORING',
        status,
        additionalConfiguration: [{ name: 'EC2_AGENT_MANAGEMENT', status: management }],
      },
    ],
  }),
});

const all = Object.keys(dlv().variants['with-dlv']?.engine.parameters ?? {});
const known = (changes: Record<string, object | null> = {}) =>
  all.flatMap((ParameterName) => {
    const change = changes[ParameterName];
    return change === null ? [] : [{ ParameterName, IsModifiable: true, ...change }];
  });

/** dlv-pgbench with these parameters on every variant, in an account that knows them and takes only listed libraries. */
function withLists(libraries: string): Examined {
  const parameters = {
    shared_buffers: '{DBInstanceClassMemory/32768}',
    checkpoint_completion_target: '0.9',
    commit_siblings: '-1',
    shared_preload_libraries: 'pg_stat_statements,auto_explain',
  };
  const { variants, ...experiment } = dlv();
  const changed = Object.entries(variants).map(([name, variant]) => [
    name,
    { ...variant, engine: { ...variant.engine, parameters } },
  ]);
  const knownParameters = [
    { ParameterName: 'shared_buffers', AllowedValues: '16-1073741823' },
    { ParameterName: 'checkpoint_completion_target', AllowedValues: '0.0-1.0' },
    { ParameterName: 'commit_siblings', AllowedValues: '-1-1000' },
    { ParameterName: 'shared_preload_libraries', AllowedValues: libraries, DataType: 'list' },
  ];
  return [{ knownParameters }, { ...experiment, variants: Object.fromEntries(changed) as typeof variants }];
}

/** A class that pgduet does not know. */
function unknownClass(): ReturnType<typeof dlv> {
  const [variant] = Object.values(dlv().variants);
  return variant ? dlv({ variants: { a: { ...variant, class: 'db.r9g.4xlarge' } } }) : expect.fail('a variant');
}

const { limits } = dlv();
const noPrice = { pricesNotKnown: () => Promise.resolve(['driver: r5.4xlarge']) };
const denied = s3Error('AccessDenied', 'Access Denied', 403);

/** What there is in an account, by the check that looks at it. */
const accounts: Record<string, Record<string, Examined>> = {
  'EC2 quota': {
    'as many vCPUs as needed': [{ vcpuQuota: 48, running }],
    'one vCPU too few': [{ vcpuQuota: 47, running }],
    'what runs is of this experiment': [{ vpcs: 5, vcpuQuota: 16, running: ['r5.4xlarge'], answers: thisExperiment }],
  },
  'VPC quota': { 'room for one more': [{ vpcs: 4 }], 'no room': [{ vpcs: 5 }] },
  'endpoint quota': {
    'room for one more': [{ gatewayEndpoints: 19 }],
    'no room': [{ gatewayEndpoints: 20 }],
    'no room, and none needed': [{ gatewayEndpoints: 20 }, publicDriver],
  },
  zone: {
    'too few default zones': [{ defaultZones: ['us-east-1b', 'us-east-1c'] }, withDeployment('multi-az-cluster')],
  },
  endpoints: {
    'two that the zone lacks': [{ withoutEndpoint: ['pi', 'rds'] }],
    'one that another zone lacks': [
      { withoutEndpoint: ['pi'] },
      dlv({ network: { mode: 'private', availabilityZone: 'us-east-1b' } }),
    ],
    'one that a public driver does not need': [{ withoutEndpoint: ['pi'] }, publicDriver],
    hidden: [
      {
        answers: {
          DescribeVpcEndpointServices: xmlError('UnauthorizedOperation', 'You are not authorized to do this.', 403),
        },
      },
    ],
    'a VPC that exists': inVpc(),
    'a VPC whose subnets are elsewhere': inVpc({ vpc: 'vpc-9', zones: ['us-east-1a', 'us-east-1c', 'us-east-1c'] }),
    'an internet gateway, but no public address': inVpc({ route: internetGateway }),
    'an internet gateway and a public address': inVpc({ route: internetGateway }, { publicAddress: true }),
    'no way out, and few endpoints': inVpc({ route: '', endpoints: ['rds', 's3'] }),
    'no way out, and all endpoints': inVpc({ route: '', endpoints: calledServices(dlv()) }),
  },
  GuardDuty: {
    none: [{}],
    'agents on instances': [{ answers: detector('ENABLED', 'ENABLED') }],
    'no Runtime Monitoring': [{ answers: detector('DISABLED', 'ENABLED') }],
    'no agents by itself': [{ answers: detector('ENABLED', 'DISABLED') }],
    hidden: [{ answers: { 'GET /detector': jsonError('AccessDeniedException', 'not authorized', 403) } }],
  },
  'bootstrap bucket': {
    'a key of S3': [{}],
    'a key of the account': [{ answers: { [bucket]: ownKey(key) } }],
    'the same by its id': [{ answers: { [bucket]: ownKey('1234abcd') } }],
    'no encryption': [
      { answers: { [bucket]: s3Error('ServerSideEncryptionConfigurationNotFoundError', 'not found', 404) } },
    ],
    hidden: [{ answers: { [bucket]: denied } }],
  },
  'results key': {
    'none, and none named': [{}],
    'one that the driver may not use': [{ answers: results }],
    'one that is named for results': [{ answers: results }, dlv({ encryption: { resultsKmsKeyArn: key } })],
    'one that is named for all': [{ answers: results }, dlv({ encryption: { kmsKeyArn: key } })],
    'none, but one is named': [{}, dlv({ encryption: { kmsKeyArn: key } })],
    'one of another Region': [{}, dlv({ encryption: { kmsKeyArn: key.replace('us-east-1', 'eu-west-1') } })],
    'databases from a snapshot': [
      { answers: results },
      dlv({ encryption: { kmsKeyArn: key }, data: { keep: false, snapshot: 'kept' } }),
    ],
  },
  'parameters of with-dlv': {
    'as RDS knows them': [{ knownParameters: known() }],
    'as RDS does not take them': [
      {
        knownParameters: known({
          track_wal_io_timing: null,
          wal_compression: { AllowedValues: '0,1' },
          max_wal_size: { AllowedValues: '128-2047' },
          shared_buffers: { IsModifiable: false },
        }),
      },
    ],
    'formulas, signs, fractions and lists': withLists('auto_explain,pg_stat_statements,pg_cron'),
    'a list without one of them': withLists('pg_stat_statements'),
    hidden: [{ answers: { DescribeEngineDefaultParameters: denied } }],
    'hidden, of instances, where a cluster is deployed': [
      { answers: { DescribeEngineDefaultParameters: denied } },
      withDeployment('multi-az-cluster'),
    ],
  },
  'variant with-dlv': { 'a class of 12,000 IOPS': [{ ebs: { most: 12_000, baseline: 12_000 } }] },
  'variant without-dlv': {
    'a class of 12,000 IOPS': [{ ebs: { most: 12_000, baseline: 12_000 } }],
    'a class of 6000 IOPS for most of the day': [{ ebs: { most: 20_000, baseline: 6000 } }],
  },
  'variant a': {
    'an unknown class with memory': [{ memoryGib: 512 }, unknownClass()],
    'an unknown class without': [{ memoryGib: 128 }, unknownClass()],
  },
  'certificate authority': { 'one that the driver does not know': [{}, dlv(), { certificates: [] }] },
  prices: {
    'not known, and dollars are limited': [{}, dlv({ limits: { ...limits, dollars: 100 } }), noPrice],
    'not known': [{}, dlv({ limits: { ...limits, dollars: undefined } }), noPrice],
  },
};

it('what speaks against a deploy into an account is told with its remedy', async () => {
  const told: string[] = [];
  for (const [check, worlds] of Object.entries(accounts)) {
    for (const [what, examined] of Object.entries(worlds)) {
      const outcomes = await examine(...examined);
      const found = outcomes.flatMap((outcome) => outcome.problems.map((one) => `  problem: ${one}`));
      const own = outcomes.filter(({ name }) => name === check);
      const lines = [...found, ...own.flatMap(({ notes }) => notes.map((one) => `  note: ${one}`))];
      told.push(`${check}, ${what}:`, ...(lines.length === 0 ? ['  passes'] : lines));
    }
  }
  await expect(`${told.join('\n')}\n`).toMatchFileSnapshot('errors/deploys.txt');
});
