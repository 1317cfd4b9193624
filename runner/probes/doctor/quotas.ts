import { DescribeInstanceTypesCommand } from '@aws-sdk/client-ec2';
import { DescribeAccountAttributesCommand } from '@aws-sdk/client-rds';
import { GetServiceQuotaCommand } from '@aws-sdk/client-service-quotas';
import { callAws } from '../../aws/call.ts';
import type { DeployableExperiment } from '../../experiment/deploy/deployable.ts';
import { UserError } from '../../contract/errors.ts';
import type { DoctorClients } from './aws-clients.ts';

/** Quota "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances", counted in vCPUs. New accounts have 5. */
const standardVcpus = 'L-1216C47A';
/** A cluster counts as three instances: a writer and two standbys. */
const clusterMembers = 3;

/**
 * @returns how much of the RDS quotas the experiment needs, in words
 * @throws {UserError} with each quota that is too small, and what to ask for
 */
export async function checkRdsQuotas(
  { rds }: DoctorClients,
  { variants, protocol }: Pick<DeployableExperiment, 'variants' | 'protocol'>,
): Promise<string> {
  const all = Object.values(variants).flatMap((variant) => Array.from({ length: protocol.replicas }, () => variant));
  const clusters = all.filter(({ deployment }) => deployment === 'multi-az-cluster').length;
  const needs: Record<string, number> = {
    DBInstances: all.length - clusters + clusterMembers * clusters,
    DBClusters: clusters,
    AllocatedStorage: all.reduce((sum, { storage }) => sum + storage.sizeGib, 0),
  };
  const { AccountQuotas = [] } = await callAws('rds:DescribeAccountAttributes', 'this account', () =>
    rds.send(new DescribeAccountAttributesCommand({})),
  );
  const problems = AccountQuotas.flatMap(({ AccountQuotaName = '', Used = 0, Max = Infinity }) => {
    const need = needs[AccountQuotaName] ?? 0;
    if (need === 0 || Used + need <= Max) return [];
    return [
      `The quota ${AccountQuotaName} of RDS is ${Max} with ${Used} in use; ${need} more are needed. Ask for ${Used + need} in the console of Service Quotas.`,
    ];
  });
  if (problems.length > 0) throw new UserError(problems.join('\n'));
  return Object.entries(needs)
    .filter(([, need]) => need > 0)
    .map(([name, need]) => `${need} ${name}`)
    .join(', ');
}

/**
 * @returns the driver's vCPUs and the quota, in words
 * @throws {UserError} if the driver alone needs more than the account may run; instances that run already are not counted
 */
export async function checkDriverQuota({ ec2, quotas }: DoctorClients, instanceType: string): Promise<string> {
  const { InstanceTypes = [] } = await callAws('ec2:DescribeInstanceTypes', instanceType, () =>
    ec2.send(new DescribeInstanceTypesCommand({ InstanceTypes: [instanceType as 'r5.4xlarge'] })),
  );
  const vcpus = InstanceTypes[0]?.VCpuInfo?.DefaultVCpus ?? 0;
  if (!/^[acdhimrtz]\d/.test(instanceType)) return `${vcpus} vCPUs, in a family whose quota was not looked at`;
  const { Quota } = await callAws('servicequotas:GetServiceQuota', standardVcpus, () =>
    quotas.send(new GetServiceQuotaCommand({ ServiceCode: 'ec2', QuotaCode: standardVcpus })),
  );
  const most = Quota?.Value ?? Infinity;
  if (vcpus > most) {
    throw new UserError(
      `The driver ${instanceType} has ${vcpus} vCPUs, the account may run ${most} of its kind. Ask for ${vcpus} of ${standardVcpus} (ec2) in the console of Service Quotas, or choose a smaller driver.class.`,
    );
  }
  return `${vcpus} of ${most} vCPUs`;
}
