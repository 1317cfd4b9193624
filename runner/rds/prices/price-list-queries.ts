import { deployments } from '../deployments/every-deployment.ts';
import { deploymentOf } from '../deployments/registry.ts';
import type { Price, Priced } from './price.ts';

type Attributes = Readonly<Record<string, string>>;

/** A query of AWS's price list for things of one kind. */
export interface PriceListQuery {
  serviceCode: string;
  /** Attributes that must have these values. */
  attributes: Attributes;
  /** What a found product is; null if the query is not for such a product. */
  identify: (attributes: Attributes) => Priced | null;
  /** The unit as the price list writes it. */
  unit: string;
  per: Price['per'];
}

/**
 * The price list has never shown a product of Database Insights. Those of Performance Insights have other prices.
 */
type Listed = Exclude<Priced, { kind: 'database-insights' }>;

const storageTypes = ['io1', 'io2', 'gp3'] as const;
type StorageType = (typeof storageTypes)[number];

const volumeTypes = { io1: 'Provisioned IOPS', io2: 'Provisioned IOPS-IO2', gp3: 'General Purpose-GP3' };

/** Usage types: only they separate the IOPS of one storage type from those of another. */
const iopsUsage = { io1: /(?<!IO2-|GP3-)PIOPS$/, io2: /IO2-PIOPS$/, gp3: /GP3-PIOPS$/ };

const queries: Record<Listed['kind'], PriceListQuery> = {
  'driver-instance': {
    serviceCode: 'AmazonEC2',
    attributes: { operatingSystem: 'Linux', tenancy: 'Shared', preInstalledSw: 'NA', capacitystatus: 'Used' },
    identify: ({ instanceType, marketoption = 'OnDemand' }) =>
      instanceType !== undefined && marketoption === 'OnDemand'
        ? { kind: 'driver-instance', class: instanceType }
        : null,
    unit: 'Hrs',
    per: 'hour',
  },
  'driver-volume': {
    serviceCode: 'AmazonEC2',
    attributes: { productFamily: 'Storage', volumeApiName: 'gp3' },
    identify: () => ({ kind: 'driver-volume' }),
    unit: 'GB-Mo',
    per: 'month',
  },
  'public-address': {
    serviceCode: 'AmazonVPC',
    attributes: { group: 'VPCPublicIPv4Address' },
    identify: ({ usagetype = '' }) =>
      usagetype.endsWith('PublicIPv4:InUseAddress') ? { kind: 'public-address' } : null,
    unit: 'Hrs',
    per: 'hour',
  },
  endpoint: {
    serviceCode: 'AmazonVPC',
    attributes: { productFamily: 'VpcEndpoint' },
    identify: ({ usagetype = '' }) => (usagetype.endsWith('VpcEndpoint-Hours') ? { kind: 'endpoint' } : null),
    unit: 'Hrs',
    per: 'hour',
  },
  'database-instance': {
    serviceCode: 'AmazonRDS',
    attributes: { productFamily: 'Database Instance', databaseEngine: 'PostgreSQL' },
    identify: (attributes) => {
      const [deployment, { instanceType }] = [soldFor(attributes), attributes];
      return deployment === null || instanceType === undefined
        ? null
        : { kind: 'database-instance', class: instanceType, deployment };
    },
    unit: 'Hrs',
    per: 'hour',
  },
  'database-storage': storageQuery(
    { productFamily: 'Database Storage', unit: 'GB-Mo' },
    ({ volumeType }) => storageTypes.find((one) => volumeTypes[one] === volumeType),
    (type, deployment) => ({ kind: 'database-storage', type, deployment }),
  ),
  'database-iops': storageQuery(
    { productFamily: 'Provisioned IOPS', unit: 'IOPS-Mo' },
    ({ usagetype = '' }) => storageTypes.find((one) => iopsUsage[one].test(usagetype)),
    (type, deployment) => ({ kind: 'database-iops', type, deployment }),
  ),
  'database-throughput': storageQuery(
    { productFamily: 'Provisioned Throughput', unit: 'MBPS-Mo' },
    ({ usagetype = '' }) => (/GP3-Throughput$/.test(usagetype) ? 'gp3' : undefined),
    (_, deployment) => ({ kind: 'database-throughput', deployment }),
  ),
  'database-proxy': {
    serviceCode: 'AmazonRDS',
    attributes: { databaseEngine: 'PostgreSQL' },
    identify: ({ usagetype = '' }) => (usagetype.endsWith('RDS:ProxyUsage') ? { kind: 'database-proxy' } : null),
    unit: 'Hrs',
    per: 'hour',
  },
};

/** @param typeOf the type of storage that a product is for; undefined if it is for none of ours */
function storageQuery(
  { productFamily, unit }: { productFamily: string; unit: string },
  typeOf: (attributes: Attributes) => StorageType | undefined,
  make: (type: StorageType, deployment: string) => Priced,
): PriceListQuery {
  return {
    serviceCode: 'AmazonRDS',
    attributes: { productFamily },
    identify: (attributes) => {
      const [type, deployment] = [typeOf(attributes), soldFor(attributes)];
      return type === undefined || deployment === null || !isForPostgres(attributes) ? null : make(type, deployment);
    },
    unit,
    per: 'month',
  };
}

/** The attributes by which a product is identified. */
export const attributeNames = [
  ...['databaseEngine', 'deploymentOption', 'instanceType', 'marketoption', 'usagetype', 'volumeType'],
];

/** Queries that find the prices of everything that this project can deploy in a Region. */
export function regionQueries(regionCode: string): PriceListQuery[] {
  return Object.values(queries).map((query) => ({ ...query, attributes: { regionCode, ...query.attributes } }));
}

/** The query for one thing; null for things that the price list does not have. */
export function priceListQuery(priced: Priced, regionCode: string): PriceListQuery | null {
  if (priced.kind === 'database-insights') return null;
  const query = queries[priced.kind];
  return { ...query, attributes: { regionCode, ...query.attributes, ...attributesOf(priced) } };
}

/** What sets this thing apart from others of its kind, as far as a query can ask for it. */
function attributesOf(priced: Listed): Attributes {
  return {
    ...('class' in priced ? { instanceType: priced.class } : {}),
    ...(priced.kind === 'database-storage' ? { volumeType: volumeTypes[priced.type] } : {}),
    ...('deployment' in priced ? { deploymentOption: deploymentOf(priced).priceOption } : {}),
  };
}

/** The name of the deployment that a product is for. */
function soldFor({ deploymentOption }: Attributes): string | null {
  return deployments.find(({ priceOption }) => priceOption === deploymentOption)?.name ?? null;
}

/** The price list has storage by engine, or for any engine. */
function isForPostgres({ databaseEngine = 'Any' }: Attributes): boolean {
  return databaseEngine === 'PostgreSQL' || databaseEngine === 'Any';
}
