import {
  DescribeInstanceTypesCommand,
  type EC2Client,
  paginateDescribeInstances,
  paginateDescribeVpcEndpoints,
  paginateDescribeVpcs,
} from '@aws-sdk/client-ec2';
import { DescribeAccountAttributesCommand } from '@aws-sdk/client-rds';
import { GetServiceQuotaCommand } from '@aws-sdk/client-service-quotas';
import { callAws } from '../aws/call.ts';
import { deploymentOf } from '../deployments/registry.ts';
import { type DeployableExperiment, parameterGroupKey } from '../deploy/deployable.ts';
import { UserError } from '../../contract/errors.ts';
import type { DoctorClients } from './account.ts';

/** Quota "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances", counted in vCPUs. New accounts have 5. */
const standardVcpus = 'L-1216C47A';
/** Quota "VPCs per Region". */
const vpcsPerRegion = 'L-F678F1CE';
/** Quota "Gateway VPC endpoints per Region". */
const gatewayEndpointsPerRegion = 'L-1B52E74A';
/** The number of types that one call of DescribeInstanceTypes may name. */
const typesPerCall = 100;

/**
 * @returns how much of the RDS quotas the experiment needs, as a text
 * @throws {UserError} with each quota that is too small, and what to ask for
 */
export async function checkRdsQuotas(
  { rds }: DoctorClients,
  { variants, protocol }: Pick<DeployableExperiment, 'variants' | 'protocol'>,
): Promise<string> {
  const all = Object.values(variants).flatMap((variant) => Array.from({ length: protocol.replicas }, () => variant));
  const needs: Record<string, number> = {};
  const add = (name: string, need: number): void => void (needs[name] = (needs[name] ?? 0) + need);
  for (const { quotas } of all.map(deploymentOf)) Object.entries(quotas).forEach(([name, need]) => add(name, need));
  add(
    'AllocatedStorage',
    all.reduce((sum, { storage }) => sum + storage.sizeGib, 0),
  );
  const groups = new Map(all.map((variant) => [parameterGroupKey(variant), deploymentOf(variant)]));
  for (const { parameterGroupQuota } of groups.values()) add(parameterGroupQuota, 1);
  add('DBSubnetGroups', 1);
  const { AccountQuotas = [] } = await callAws('rds:DescribeAccountAttributes', 'this account', () =>
    rds.send(new DescribeAccountAttributesCommand({})),
  );
  const problems = AccountQuotas.flatMap(({ AccountQuotaName = '', Used = 0, Max = Infinity }) => {
    const need = needs[AccountQuotaName] ?? 0;
    if (need === 0 || Used + need <= Max) return [];
    return [
      `The RDS quota ${AccountQuotaName} is ${Max}, with ${Used} in use, but the experiment needs ${need} more. Ask for ${Used + need} in the Service Quotas console.`,
    ];
  });
  if (problems.length > 0) throw new UserError(problems);
  return Object.entries(needs)
    .map(([name, need]) => `${need} ${name}`)
    .join(', ');
}

/**
 * @returns the driver's vCPUs, those in use and the quota, as a text
 * @throws {UserError} if the account may not run the driver in addition to what it already runs
 */
export async function checkDriverQuota({ ec2, quotas }: DoctorClients, instanceType: string): Promise<string> {
  const need = (await vcpusOf(ec2, [instanceType])).get(instanceType) ?? 0;
  if (!isStandard(instanceType)) return `${need} vCPUs, in a family whose quota was not checked`;
  return requireRoom(quotas, {
    quota: ['ec2', standardVcpus],
    need,
    used: await standardVcpusInUse(ec2),
    what: 'vCPUs',
    problem: (used, max) =>
      `The driver ${instanceType} has ${need} vCPUs. The account may run ${max} of this kind, and already runs ${used}.`,
    remedy: 'terminate other instances, or choose a smaller driver.class',
  });
}

/**
 * @returns the VPCs in use and their quota, as a text
 * @throws {UserError} if there is no room for the VPC of one more stack
 */
export async function checkVpcQuota({ ec2, quotas }: DoctorClients): Promise<string> {
  let used = 0;
  await callAws('ec2:DescribeVpcs', 'this Region', async () => {
    for await (const { Vpcs = [] } of paginateDescribeVpcs({ client: ec2 }, {})) used += Vpcs.length;
  });
  return requireRoom(quotas, {
    ...oneMore('VPCs', used),
    quota: ['vpc', vpcsPerRegion],
    remedy: 'delete a VPC, or use an existing one (network.mode: existing)',
  });
}

/**
 * @returns the gateway endpoints in use and their quota, as a text
 * @throws {UserError} if there is no room for the one to S3 of a private network
 */
export async function checkEndpointQuota({ ec2, quotas }: DoctorClients): Promise<string> {
  let used = 0;
  await callAws('ec2:DescribeVpcEndpoints', 'this Region', async () => {
    const gateways = { Name: 'vpc-endpoint-type', Values: ['Gateway'] };
    for await (const { VpcEndpoints = [] } of paginateDescribeVpcEndpoints({ client: ec2 }, { Filters: [gateways] })) {
      used += VpcEndpoints.length;
    }
  });
  return requireRoom(quotas, {
    ...oneMore('gateway endpoints', used),
    quota: ['vpc', gatewayEndpointsPerRegion],
    remedy: 'delete one, or choose another network (network.mode: public-driver or existing)',
  });
}

/** What a stack needs of a quota. */
interface Need {
  quota: readonly [service: string, code: string];
  need: number;
  used: number;
  what: string;
  problem: (used: number, max: number) => string;
  /** Besides a larger quota. */
  remedy: string;
}

function oneMore(what: string, used: number): Omit<Need, 'quota' | 'remedy'> {
  const problem = (_: number, max: number): string =>
    `The account has ${used} ${what} in this Region and may have ${max}, but the stack makes one more.`;
  return { need: 1, used, what, problem };
}

async function requireRoom(
  quotas: DoctorClients['quotas'],
  { quota: [service, code], need, used, what, problem, remedy }: Need,
): Promise<string> {
  const { Quota } = await callAws('servicequotas:GetServiceQuota', code, () =>
    quotas.send(new GetServiceQuotaCommand({ ServiceCode: service, QuotaCode: code })),
  );
  const max = Quota?.Value ?? Infinity;
  if (used + need <= max) return `${need} of ${max} ${what}, ${used} in use`;
  const wanted = `Ask for ${used + need} of ${code} (${service}) in the Service Quotas console`;
  throw new UserError(`${problem(used, max)} ${wanted}, ${remedy}.`);
}

/** vCPUs of the On-Demand instances that count against the quota. Spot instances have a separate quota. */
async function standardVcpusInUse(ec2: EC2Client): Promise<number> {
  const running: string[] = [];
  await callAws('ec2:DescribeInstances', 'this Region', async () => {
    const states = { Name: 'instance-state-name', Values: ['pending', 'running'] };
    for await (const { Reservations = [] } of paginateDescribeInstances({ client: ec2 }, { Filters: [states] })) {
      for (const { InstanceType, InstanceLifecycle } of Reservations.flatMap(({ Instances = [] }) => Instances)) {
        if (InstanceType !== undefined && InstanceLifecycle === undefined) running.push(InstanceType);
      }
    }
  });
  const standard = running.filter(isStandard);
  const vcpus = await vcpusOf(ec2, [...new Set(standard)]);
  return standard.reduce((sum, type) => sum + (vcpus.get(type) ?? 0), 0);
}

async function vcpusOf(ec2: EC2Client, types: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const vcpus = new Map<string, number>();
  for (let from = 0; from < types.length; from += typesPerCall) {
    const asked = types.slice(from, from + typesPerCall) as 'r5.4xlarge'[];
    const { InstanceTypes = [] } = await callAws('ec2:DescribeInstanceTypes', asked.join(', '), () =>
      ec2.send(new DescribeInstanceTypesCommand({ InstanceTypes: asked })),
    );
    for (const { InstanceType = '', VCpuInfo } of InstanceTypes) vcpus.set(InstanceType, VCpuInfo?.DefaultVCpus ?? 0);
  }
  return vcpus;
}

function isStandard(instanceType: string): boolean {
  return /^[acdhimrtz]\d/.test(instanceType);
}
