import { EC2Client } from '@aws-sdk/client-ec2';
import { GuardDutyClient } from '@aws-sdk/client-guardduty';
import { RDSClient } from '@aws-sdk/client-rds';
import { S3Client } from '@aws-sdk/client-s3';
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { SSMClient } from '@aws-sdk/client-ssm';
import { STSClient } from '@aws-sdk/client-sts';
import { checkDeploy, type DeployQuestion } from '../../../runner/rds/doctor/check-deploy.ts';
import type { CheckOutcome } from '../../../runner/probes/probe.ts';
import { deployable, type DeployableExperiment } from '../../../runner/rds/deploy/deployable.ts';
import { certificateAuthorities } from '../../../runner/rds/deploy/certificate-authorities.ts';
import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import { type FakeAnswer, fakeAws, jsonAnswer, jsonError, xmlAnswer } from './fake-aws.ts';

export const zones = ['us-east-1a', 'us-east-1b', 'us-east-1c'];

/** What RDS says about db.r5.16xlarge with 15.19 on io2, with the fields that are read. */
export const option = {
  StorageType: 'io2',
  SupportsDedicatedLogVolume: true,
  MultiAZCapable: true,
  SupportsClusters: true,
  MinStorageSize: 100,
  MaxStorageSize: 65536,
  MinIopsPerDbInstance: 1000,
  MaxIopsPerDbInstance: 256000,
  MinIopsPerGib: 0.5,
  MaxIopsPerGib: 1000,
  AvailabilityZones: zones.map((Name) => ({ Name })),
};

/** What is different in an account that otherwise can take every experiment. */
export interface FakeAccount {
  options?: object[];
  versions?: string[];
  driverZones?: string[];
  parameters?: Record<string, string>;
  /** Parameters of PostgreSQL that RDS knows. */
  knownParameters?: object[];
  vcpuQuota?: number;
  accountQuotas?: object[];
  identity?: FakeAnswer;
  /** Zones with a default subnet. */
  defaultZones?: string[];
  /** Types of the instances that run already. */
  running?: string[];
  /** Services without an endpoint in the first zone. */
  withoutEndpoint?: string[];
  vpcs?: number;
  vpcQuota?: number;
  gatewayEndpoints?: number;
  /** Most and baseline of the IOPS that every class carries. */
  ebs?: { most: number; baseline: number };
  /** Memory of every class. */
  memoryGib?: number;
  /** Answers to single actions, instead of the usual ones. */
  answers?: Record<string, FakeAnswer>;
}

export const parameters: Record<string, string> = {
  '/cdk-bootstrap/hnb659fds/version': '28',
  '/pgduet/results-bucket/made-by/npx-cdk-deploy-c-stack-results': 'pgduet-results',
};

/** Those that dlv-pgbench sets, as RDS describes them. */
const knownParameters = Object.entries({
  checkpoint_completion_target: '0.0-1.0',
  checkpoint_timeout: '30-86400',
  commit_delay: '0-100000',
  max_wal_size: '128-201326592',
  'rds.force_ssl': '0,1',
  shared_buffers: '16-1073741823',
  synchronous_commit: 'local,on,off',
  track_io_timing: '0,1',
  track_wal_io_timing: '0,1',
  wal_buffers: '-1-262143',
  wal_compression: '0,1,off,pglz,lz4,zstd,on',
  wal_writer_delay: '1-10000',
  wal_writer_flush_after: '0-2147483647',
}).map(([ParameterName, AllowedValues]) => ({ ParameterName, AllowedValues, IsModifiable: true }));

/** Parsing them takes longer than most checks. */
let authorities: string[] | undefined;

/** What `doctor` finds in such an account. */
export function examine(
  account: FakeAccount = {},
  experiment = dlv(),
  question: Partial<DeployQuestion> = {},
): Promise<CheckOutcome[]> {
  const { options } = fakeAws(({ action, input }) => account.answers?.[action] ?? answer(account, action, input));
  return checkDeploy(
    {
      experiment,
      owner: 'alice',
      environment: {},
      scriptFolder: process.cwd(),
      signal: new AbortController().signal,
      certificates: (authorities ??= certificateAuthorities(process.cwd())),
      pricesNotKnown: () => Promise.resolve([]),
      ...question,
    },
    {
      ec2: new EC2Client(options),
      guardDuty: new GuardDutyClient(options),
      quotas: new ServiceQuotasClient(options),
      rds: new RDSClient(options),
      s3: new S3Client({ ...options, forcePathStyle: true }),
      ssm: new SSMClient(options),
      sts: new STSClient(options),
    },
    () => undefined,
  );
}

export async function problems(...args: Parameters<typeof examine>): Promise<string[]> {
  return (await examine(...args)).flatMap((outcome) => outcome.problems);
}

/** The notes of one check. */
export async function notesOf(name: string, ...args: Parameters<typeof examine>): Promise<string[]> {
  return (await examine(...args)).filter((outcome) => outcome.name === name).flatMap(({ notes }) => notes);
}

function answer(account: FakeAccount, action: string, input: Record<string, unknown>): FakeAnswer {
  switch (action) {
    case 'GetCallerIdentity':
      return (
        account.identity ?? xmlAnswer(action, { Account: '123456789012', Arn: 'arn:aws:iam::123456789012:user/a' })
      );
    case 'GetParameter': {
      const known: Record<string, string> = account.parameters ?? parameters;
      const value = known[String(input['Name'])];
      return value === undefined
        ? jsonError('ParameterNotFound', 'no such parameter')
        : jsonAnswer({ Parameter: { Name: input['Name'], Value: value } });
    }
    case 'DescribeOrderableDBInstanceOptions':
      return xmlAnswer(action, { OrderableDBInstanceOptions: account.options ?? [option] });
    case 'DescribeDBEngineVersions':
      return xmlAnswer(action, {
        DBEngineVersions: (account.versions ?? ['15.17', '15.19', '15.18']).map((EngineVersion) => ({ EngineVersion })),
      });
    case 'DescribeEngineDefaultParameters':
    case 'DescribeEngineDefaultClusterParameters':
      return xmlAnswer(action, { EngineDefaults: { Parameters: account.knownParameters ?? knownParameters } });
    case 'DescribeAccountAttributes':
      return xmlAnswer(action, { AccountQuotas: account.accountQuotas ?? [] });
    case 'DescribeAvailabilityZones':
      return ec2Answer(
        action,
        `<availabilityZoneInfo>${zones.map((zone, index) => `<item><zoneName>${zone}</zoneName><zoneId>use1-az${index + 1}</zoneId></item>`).join('')}</availabilityZoneInfo>`,
      );
    case 'DescribeInstanceTypeOfferings':
      return ec2Answer(
        action,
        `<instanceTypeOfferingSet>${items(account.driverZones ?? zones, 'location')}</instanceTypeOfferingSet>`,
      );
    case 'DescribeSubnets':
      return ec2Answer(action, `<subnetSet>${items(account.defaultZones ?? zones, 'availabilityZone')}</subnetSet>`);
    case 'DescribeInstanceTypes': {
      const { most, baseline } = account.ebs ?? { most: 80_000, baseline: 80_000 };
      const types = Object.keys(input).filter((key) => key.startsWith('InstanceType.'));
      const limits = `<ebsInfo><ebsOptimizedInfo><baselineIops>${baseline}</baselineIops><maximumIops>${most}</maximumIops></ebsOptimizedInfo></ebsInfo>`;
      return ec2Answer(
        action,
        `<instanceTypeSet>${types.map((key) => `<item><instanceType>${String(input[key])}</instanceType><vCpuInfo><defaultVCpus>16</defaultVCpus></vCpuInfo><memoryInfo><sizeInMiB>${1024 * (account.memoryGib ?? 512)}</sizeInMiB></memoryInfo>${limits}</item>`).join('')}</instanceTypeSet>`,
      );
    }
    case 'DescribeInstances':
      return ec2Answer(
        action,
        `<reservationSet><item><instancesSet>${items(account.running ?? [], 'instanceType')}</instancesSet></item></reservationSet>`,
      );
    case 'DescribeVpcEndpointServices': {
      const names = Object.entries(input).flatMap(([key, value]) =>
        key.startsWith('Filter.1.Value.') ? [String(value)] : [],
      );
      const inFirst = (name: string): boolean =>
        !account.withoutEndpoint?.some((service) => name.endsWith(`.${service}`));
      return ec2Answer(
        action,
        `<serviceDetailSet>${names
          .map(
            (name) =>
              `<item><serviceName>${name}</serviceName><availabilityZoneSet>${zones
                .slice(inFirst(name) ? 0 : 1)
                .map((zone) => `<item>${zone}</item>`)
                .join('')}</availabilityZoneSet></item>`,
          )
          .join('')}</serviceDetailSet>`,
      );
    }
    case 'DescribeVpcs':
      return ec2Answer(action, `<vpcSet>${'<item></item>'.repeat(account.vpcs ?? 1)}</vpcSet>`);
    case 'DescribeVpcEndpoints': {
      const isOfGateways = input['Filter.1.Name'] === 'vpc-endpoint-type' && input['Filter.1.Value.1'] === 'Gateway';
      const endpoints = isOfGateways ? (account.gatewayEndpoints ?? 0) : 1000;
      return ec2Answer(action, `<vpcEndpointSet>${'<item></item>'.repeat(endpoints)}</vpcEndpointSet>`);
    }
    case 'GetServiceQuota':
      return jsonAnswer({
        Quota: { Value: quotaOf(account, String(input['QuotaCode'])) },
      });
    case 'DescribeCertificates':
      return xmlAnswer(action, { DefaultCertificateForNewLaunches: 'rds-ca-rsa2048-g1' });
    case 'GET /detector':
      return jsonAnswer({ detectorIds: [] });
    case 'GET /cdk-hnb659fds-assets-123456789012-us-east-1/?encryption=':
    case 'GET /pgduet-results/?encryption=':
      return encryption('<SSEAlgorithm>AES256</SSEAlgorithm>');
    default:
      throw new Error(`nobody expected ${action}`);
  }
}

function quotaOf({ vpcQuota = 5, vcpuQuota = 64 }: FakeAccount, code: string): number | undefined {
  return { 'L-F678F1CE': vpcQuota, 'L-1B52E74A': 20, 'L-1216C47A': vcpuQuota }[code];
}

/** What S3 says of the encryption of a bucket. */
export function encryption(rule: string): FakeAnswer {
  return {
    headers: { 'content-type': 'application/xml' },
    body: `<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>${rule}</ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>`,
  };
}

export function ec2Answer(action: string, inner: string): FakeAnswer {
  return {
    headers: { 'content-type': 'text/xml' },
    body: `<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>1</requestId>${inner}</${action}Response>`,
  };
}

function items(values: readonly string[], name: string): string {
  return values.map((value) => `<item><${name}>${value}</${name}></item>`).join('');
}

let loaded: ReturnType<typeof loadExperiment> | undefined;

export function dlv(changes: Partial<DeployableExperiment> = {}): DeployableExperiment {
  const { experiment, profile } = (loaded ??= loadExperiment('dlv-pgbench', { folder: process.cwd() }));
  return { ...deployable(structuredClone(experiment), profile), ...changes };
}

/** The experiment with every variant deployed otherwise, and without log volumes. */
export function withDeployment(deployment: 'multi-az-cluster'): DeployableExperiment {
  const experiment = dlv();
  const variants = Object.entries(experiment.variants).map(([name, variant]) => [
    name,
    { ...variant, deployment, dedicatedLogVolume: false },
  ]);
  return { ...experiment, variants: Object.fromEntries(variants) as DeployableExperiment['variants'] };
}
