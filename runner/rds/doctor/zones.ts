import {
  DescribeDBEngineVersionsCommand,
  type OrderableDBInstanceOption,
  paginateDescribeOrderableDBInstanceOptions,
  type RDSClient,
} from '@aws-sdk/client-rds';
import {
  DescribeAvailabilityZonesCommand,
  DescribeInstanceTypeOfferingsCommand,
  DescribeSubnetsCommand,
  type EC2Client,
} from '@aws-sdk/client-ec2';
import { callAws } from '../aws/call.ts';
import type { DeployableVariant } from '../deploy/deployable.ts';
import { hasLogVolume } from '../../contract/log-volume.ts';
import { UserError } from '../../contract/errors.ts';
import { deploymentOf } from '../deployments/registry.ts';
import { isOfType } from '../deployments/storage.ts';

/**
 * Checks that RDS offers the database of a variant in this Region, with its version, class, storage, log volume and
 * kind of deployment together.
 *
 * @returns the zones that offer it
 * @throws {UserError} with what RDS does not offer, and what it offers instead
 */
export async function orderableZones(rds: RDSClient, variant: DeployableVariant): Promise<string[]> {
  const { engine, storage, deployment } = variant;
  const what = `${variant.class} with PostgreSQL ${engine.version}`;
  const options = await orderableOptions(rds, variant);
  if (options.length === 0) {
    await requireVersion(rds, engine);
    throw new UserError(`RDS does not offer ${what} in this Region. Choose another class or Region.`);
  }
  const stored = narrowed(
    options,
    ({ StorageType }) => isOfType(storage, StorageType),
    () => {
      const types = [...new Set(options.map(({ StorageType }) => StorageType))].sort().join(', ');
      return `RDS does not offer ${what} on ${storage.type} in this Region, only on ${types}. Change storage.type.`;
    },
  );
  const logged = narrowed(
    stored,
    ({ SupportsDedicatedLogVolume }) => !hasLogVolume(variant) || SupportsDedicatedLogVolume === true,
    () => `RDS does not offer a dedicated log volume for ${what} in this Region. Choose another version or class.`,
  );
  const deployed = narrowed(
    logged,
    (option) => deploymentOf(variant).isOffered(option),
    () =>
      `RDS does not offer ${what} on ${storage.type} as ${deployment} in this Region. Choose another class, storage.type or Region.`,
  );
  const problems = deployed.map((option) => storageProblem(variant, option));
  const [problem] = problems;
  if (problem !== undefined && problems.every((one) => one !== null)) throw new UserError(problem ?? '');
  return [
    ...new Set(deployed.flatMap(({ AvailabilityZones = [] }) => AvailabilityZones.flatMap(({ Name }) => Name ?? []))),
  ].sort();
}

async function orderableOptions(rds: RDSClient, variant: DeployableVariant): Promise<OrderableDBInstanceOption[]> {
  const options: OrderableDBInstanceOption[] = [];
  await callAws('rds:DescribeOrderableDBInstanceOptions', variant.class, async () => {
    const pages = paginateDescribeOrderableDBInstanceOptions(
      { client: rds },
      { Engine: 'postgres', EngineVersion: variant.engine.version, DBInstanceClass: variant.class, Vpc: true },
    );
    for await (const page of pages) options.push(...(page.OrderableDBInstanceOptions ?? []));
  });
  return options;
}

/** @throws {UserError} if RDS does not offer this version; names the newest that it offers */
async function requireVersion(rds: RDSClient, { version, major }: DeployableVariant['engine']): Promise<void> {
  const { DBEngineVersions = [] } = await callAws('rds:DescribeDBEngineVersions', `PostgreSQL ${major}`, () =>
    rds.send(new DescribeDBEngineVersionsCommand({ Engine: 'postgres', DBParameterGroupFamily: `postgres${major}` })),
  );
  const versions = DBEngineVersions.flatMap(({ EngineVersion }) => EngineVersion ?? []);
  if (versions.includes(version)) return;
  const newest = versions.sort((a, b) => minorOf(a) - minorOf(b)).at(-1);
  throw new UserError(
    `RDS does not currently offer PostgreSQL ${version}${newest === undefined ? '' : `; the newest ${major} is ${newest}`}. Change engine.version.`,
  );
}

function minorOf(version: string): number {
  return Number.parseInt(version.split('.')[1] ?? '', 10);
}

function narrowed(
  options: readonly OrderableDBInstanceOption[],
  fits: (option: OrderableDBInstanceOption) => boolean,
  problem: () => string,
): OrderableDBInstanceOption[] {
  const fitting = options.filter(fits);
  if (fitting.length === 0) throw new UserError(problem());
  return fitting;
}

/** Which value of the storage the option does not allow, as a text; null if it allows all. */
function storageProblem({ storage }: DeployableVariant, option: OrderableDBInstanceOption): string | null {
  const { sizeGib, iops } = storage;
  const ranges: [what: string, value: number | undefined, least?: number, most?: number][] = [
    ['storage.sizeGib', sizeGib, option.MinStorageSize, option.MaxStorageSize],
    ['storage.iops', iops, option.MinIopsPerDbInstance, option.MaxIopsPerDbInstance],
    ['storage.iops per GiB', iops && iops / sizeGib, option.MinIopsPerGib, option.MaxIopsPerGib],
  ];
  for (const [what, value, min = -Infinity, max = Infinity] of ranges) {
    if (value !== undefined && (value < min || value > max)) {
      return `${what} is ${value}; RDS accepts ${min} to ${max} here.`;
    }
  }
  return null;
}

export interface Zones {
  /** Names of the zones that a stack chooses from, in the order of its choice. */
  names: readonly string[];
  /** Ids by name. A name means a different zone in each account; an id means the same zone in all of them. */
  ids: ReadonlyMap<string, string>;
}

/**
 * The zones from which a stack takes the first ones. It calls Fn::GetAZs, which returns the zones with a default
 * subnet, or all zones if none has one, in alphabetical order (CloudFormation Template Reference). Local and Wavelength
 * Zones are left out: RDS does not offer our databases there.
 */
export async function stackZones(ec2: EC2Client): Promise<Zones> {
  const { AvailabilityZones = [] } = await callAws('ec2:DescribeAvailabilityZones', 'this Region', () =>
    ec2.send(
      new DescribeAvailabilityZonesCommand({
        Filters: [
          { Name: 'zone-type', Values: ['availability-zone'] },
          { Name: 'state', Values: ['available'] },
        ],
      }),
    ),
  );
  const ids = new Map(
    AvailabilityZones.flatMap(({ ZoneName, ZoneId = '' }): [string, string][] =>
      ZoneName === undefined ? [] : [[ZoneName, ZoneId]],
    ),
  );
  const { Subnets = [] } = await callAws('ec2:DescribeSubnets', 'the default VPC', () =>
    ec2.send(new DescribeSubnetsCommand({ Filters: [{ Name: 'default-for-az', Values: ['true'] }] })),
  );
  const withDefault = [...ids.keys()].filter((name) =>
    Subnets.some(({ AvailabilityZone }) => AvailabilityZone === name),
  );
  return { names: (withDefault.length > 0 ? withDefault : [...ids.keys()]).sort(), ids };
}

/**
 * The zones that offer the instance type.
 *
 * @throws {UserError} if no zone of the Region offers it
 */
export async function driverZones(ec2: EC2Client, instanceType: string): Promise<string[]> {
  const { InstanceTypeOfferings = [] } = await callAws('ec2:DescribeInstanceTypeOfferings', instanceType, () =>
    ec2.send(
      new DescribeInstanceTypeOfferingsCommand({
        LocationType: 'availability-zone',
        Filters: [{ Name: 'instance-type', Values: [instanceType] }],
      }),
    ),
  );
  const zones = InstanceTypeOfferings.flatMap(({ Location }) => Location ?? []).sort();
  if (zones.length === 0)
    throw new UserError(`EC2 does not offer ${instanceType} in this Region. Change driver.class.`);
  return zones;
}
