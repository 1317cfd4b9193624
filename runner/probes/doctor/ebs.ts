import { DescribeInstanceTypesCommand, type EbsOptimizedInfo, type EC2Client } from '@aws-sdk/client-ec2';
import { AwsCallError, callAws } from '../../aws/call.ts';
import type { DeployableVariant } from '../../experiment/deploy/deployable.ts';
import { provisionedBy } from '../../places/deployed/storage.ts';
import { iopsWarning, provisionedIops } from '../../places/deployed/ebs-limits.ts';

/** The MB in a MiB. EC2 counts in MB. */
const megabytesPerMebibyte = 1.048576;

/**
 * What a variant provisions beyond what its class supports, a sentence each. An RDS class is an EC2 instance type with
 * `db.` before it.
 *
 * @throws {AwsCallError}
 */
export async function ebsNotes(ec2: EC2Client, name: string, variant: DeployableVariant): Promise<string[]> {
  const limits = await ebsLimits(ec2, variant.class.replace(/^db\./, ''));
  if (limits === null) return [`variants.${name}: EC2 does not report how many IOPS ${variant.class} supports.`];
  const { MaximumIops = Infinity, BaselineIops = MaximumIops, MaximumThroughputInMBps = Infinity } = limits;
  const most = iopsWarning(name, variant, MaximumIops);
  const iops = provisionedIops(variant);
  const { throughputMibps = 0 } = provisionedBy(variant.storage);
  const throughput = throughputMibps * megabytesPerMebibyte;
  return [
    ...(most === undefined ? [] : [most]),
    ...(most === undefined && iops !== null && iops > BaselineIops
      ? [
          `variants.${name}: ${variant.class} supports ${iops} IOPS for only half an hour a day, and ${BaselineIops} for the rest; later trials would be slower.`,
        ]
      : []),
    ...(throughput > MaximumThroughputInMBps
      ? [
          `variants.${name}: storage.throughputMibps is more than ${variant.class} supports (${Math.floor(MaximumThroughputInMBps / megabytesPerMebibyte)}), so the class limits what is measured.`,
        ]
      : []),
  ];
}

/** null if EC2 has no such type in this Region, or does not report its limits. */
async function ebsLimits(ec2: EC2Client, type: string): Promise<EbsOptimizedInfo | null> {
  try {
    const { InstanceTypes = [] } = await callAws('ec2:DescribeInstanceTypes', type, () =>
      ec2.send(new DescribeInstanceTypesCommand({ InstanceTypes: [type as 'r5.4xlarge'] })),
    );
    return InstanceTypes[0]?.EbsInfo?.EbsOptimizedInfo ?? null;
  } catch (error) {
    if (error instanceof AwsCallError && error.code === 'InvalidInstanceType') return null;
    throw error;
  }
}
