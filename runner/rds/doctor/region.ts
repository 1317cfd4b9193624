import { X509Certificate } from 'node:crypto';
import { DescribeInstanceTypesCommand, type EbsOptimizedInfo, type EC2Client } from '@aws-sdk/client-ec2';
import { GetDetectorCommand, type GuardDutyClient, ListDetectorsCommand } from '@aws-sdk/client-guardduty';
import { DescribeCertificatesCommand, type RDSClient } from '@aws-sdk/client-rds';
import { AwsCallError, callAws } from '../aws/call.ts';
import type { DeployableVariant } from '../deploy/deployable.ts';
import type { ClassCapacity } from '../place/class-capacity.ts';
import { capacityProblems, capacityWarnings } from '../place/judge-capacity.ts';
import type { Found } from '../../probes/probe.ts';
import { UserError } from '../../contract/errors.ts';

/**
 * Checks that a class can carry a variant, by what EC2 says of it. An RDS class is an EC2 instance type with `db.` before
 * it.
 *
 * @returns what the variant provisions beyond what its class supports, a sentence each
 * @throws {UserError} if a server of the variant could not start
 * @throws {AwsCallError}
 */
export async function requireCapacity(ec2: EC2Client, name: string, variant: DeployableVariant): Promise<string[]> {
  const capacity = await describedCapacity(ec2, variant.class.replace(/^db\./, ''));
  if (capacity === null) {
    return [
      `variants.${name}: EC2 does not report what ${variant.class} can carry, so nothing was checked against it.`,
    ];
  }
  const problems = capacityProblems(variant, capacity).map(
    ({ path, message }) => `variants.${[name, ...path].map(String).join('.')}: ${message}`,
  );
  if (problems.length > 0) throw new UserError(problems);
  return [
    ...(capacity.ebs ? [] : [`variants.${name}: EC2 does not report how many IOPS ${variant.class} supports.`]),
    ...capacityWarnings(name, variant, capacity),
  ];
}

/** null if EC2 has no such type in this Region, or does not report its memory. */
async function describedCapacity(ec2: EC2Client, type: string): Promise<ClassCapacity | null> {
  try {
    const { InstanceTypes = [] } = await callAws('ec2:DescribeInstanceTypes', type, () =>
      ec2.send(new DescribeInstanceTypesCommand({ InstanceTypes: [type as 'r5.4xlarge'] })),
    );
    const { MemoryInfo, VCpuInfo, EbsInfo } = InstanceTypes[0] ?? {};
    const [memoryMib, vcpus] = [MemoryInfo?.SizeInMiB, VCpuInfo?.DefaultVCpus];
    if (memoryMib === undefined || vcpus === undefined) return null;
    return { vcpus, memoryBytes: memoryMib * 2 ** 20, ebs: ebsOf(EbsInfo?.EbsOptimizedInfo) };
  } catch (error) {
    if (error instanceof AwsCallError && error.code === 'InvalidInstanceType') return null;
    throw error;
  }
}

/** What EC2 leaves out has no limit, or the one that it reports. */
function ebsOf(info: EbsOptimizedInfo | undefined): ClassCapacity['ebs'] {
  if (info === undefined) return null;
  const { MaximumIops = Infinity, MaximumThroughputInMBps = Infinity } = info;
  const { BaselineIops = MaximumIops, BaselineThroughputInMBps = MaximumThroughputInMBps } = info;
  return {
    baseline: { iops: BaselineIops, megabytesPerSecond: BaselineThroughputInMBps },
    maximum: { iops: MaximumIops, megabytesPerSecond: MaximumThroughputInMBps },
  };
}

/**
 * Finds out whether GuardDuty automatically puts agents on EC2 instances. If so, it also makes an endpoint and a
 * security group in their VPC. These outlive the instances, so the VPC cannot be deleted with its stack.
 *
 * @throws {AwsCallError}
 */
export async function findRuntimeMonitoring(guardDuty: GuardDutyClient): Promise<Found<true>> {
  const { DetectorIds: [id] = [] } = await callAws('guardduty:ListDetectors', 'this Region', () =>
    guardDuty.send(new ListDetectorsCommand({})),
  );
  if (id === undefined) return { detail: 'not in use', value: true };
  const { Features = [], Status } = await callAws('guardduty:GetDetector', id, () =>
    guardDuty.send(new GetDetectorCommand({ DetectorId: id })),
  );
  const managed =
    Status !== 'DISABLED' &&
    Features.some(
      ({ Name, Status: status, AdditionalConfiguration = [] }) =>
        Name === 'RUNTIME_MONITORING' &&
        status === 'ENABLED' &&
        AdditionalConfiguration.some((part) => part.Name === 'EC2_AGENT_MANAGEMENT' && part.Status === 'ENABLED'),
    );
  if (!managed) return { detail: 'does not put agents on EC2 instances', value: true };
  return {
    detail: 'Runtime Monitoring puts agents on EC2 instances',
    value: true,
    notes: [
      'GuardDuty creates an endpoint in the VPC of every instance it monitors, and that blocks deleting the VPC. The driver’s tag GuardDutyManaged=false opts it out. If a destroy still stops at a subnet, see docs/deploying.md, "When GuardDuty keeps the VPC".',
    ],
  };
}

/** The authority of new databases, unless the account chose another one. */
const defaultAuthority = 'rds-ca-rsa2048-g1';

/**
 * Checks that the driver will know the authority that signs the certificates of new databases in this Region. Each
 * Region has its own roots, whose subjects name the Region, such as `Amazon RDS eu-central-1 Root CA RSA2048 G1`.
 *
 * @param certificates PEM texts that the driver gets
 * @returns the subject of the authority
 * @throws {UserError} if it is not among them
 */
export async function requireAuthority(
  rds: RDSClient,
  region: string,
  certificates: readonly string[],
): Promise<string> {
  const { DefaultCertificateForNewLaunches: authority = defaultAuthority } = await callAws(
    'rds:DescribeCertificates',
    'this Region',
    () => rds.send(new DescribeCertificatesCommand({})),
  );
  const [, key = '', generation = ''] = /^rds-ca-([a-z0-9]+)-(g\d+)$/.exec(authority) ?? [];
  const wanted = `Amazon RDS ${region} Root CA ${key} ${generation}`.toUpperCase();
  const subjects = certificates.map((text) => /^CN=(.*)$/m.exec(new X509Certificate(text).subject)?.[1] ?? '');
  const found = subjects.find((subject) => subject.toUpperCase() === wanted);
  if (found !== undefined) return found;
  throw new UserError(
    `The driver does not know the certificate authority ${authority} of ${region}, so it would reject every connection. Put https://truststore.pki.rds.amazonaws.com/${region}/${region}-bundle.pem into the folder certificates/ of this project.`,
  );
}
