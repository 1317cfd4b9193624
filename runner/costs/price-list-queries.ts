import type { Deployment } from '../contract/experiment/variant.ts';
import type { Price, Priced } from './price.ts';

/** A query of AWS's price list for one thing. */
export interface PriceListQuery {
  serviceCode: string;
  /** Attributes that must have these values. */
  attributes: Record<string, string>;
  /** Selects the right one of the products that were found. */
  isMeant: (attributes: Readonly<Record<string, string>>) => boolean;
  /** The unit as the price list writes it. */
  unit: string;
  per: Price['per'];
}

const deploymentOptions: Record<Deployment, string> = {
  'single-az': 'Single-AZ',
  'multi-az-instance': 'Multi-AZ',
  'multi-az-cluster': 'Multi-AZ (readable standbys)',
};

const volumeTypes = { io1: 'Provisioned IOPS', io2: 'Provisioned IOPS-IO2', gp3: 'General Purpose-GP3' };

/** Usage types: only they tell the IOPS of one storage type from those of another. */
const iopsUsage = { io1: /(?<!IO2-|GP3-)PIOPS$/, io2: /IO2-PIOPS$/, gp3: /GP3-PIOPS$/ };

/** null for things that are not asked for, since their rows in the price list were never seen. */
export function priceListQuery(priced: Priced, regionCode: string): PriceListQuery | null {
  const every = () => true;
  switch (priced.kind) {
    case 'driver-instance':
      return {
        serviceCode: 'AmazonEC2',
        attributes: {
          regionCode,
          instanceType: priced.class,
          operatingSystem: 'Linux',
          tenancy: 'Shared',
          preInstalledSw: 'NA',
          capacitystatus: 'Used',
        },
        isMeant: ({ marketoption = 'OnDemand' }) => marketoption === 'OnDemand',
        unit: 'Hrs',
        per: 'hour',
      };
    case 'driver-volume':
      return {
        serviceCode: 'AmazonEC2',
        attributes: { regionCode, productFamily: 'Storage', volumeApiName: 'gp3' },
        isMeant: every,
        unit: 'GB-Mo',
        per: 'month',
      };
    case 'public-address':
      return {
        serviceCode: 'AmazonVPC',
        attributes: { regionCode, group: 'VPCPublicIPv4Address' },
        isMeant: ({ usagetype = '' }) => usagetype.endsWith('PublicIPv4:InUseAddress'),
        unit: 'Hrs',
        per: 'hour',
      };
    case 'endpoint':
      return {
        serviceCode: 'AmazonVPC',
        attributes: { regionCode, productFamily: 'VpcEndpoint' },
        isMeant: ({ usagetype = '' }) => usagetype.endsWith('VpcEndpoint-Hours'),
        unit: 'Hrs',
        per: 'hour',
      };
    case 'database-instance':
      return {
        serviceCode: 'AmazonRDS',
        attributes: {
          regionCode,
          productFamily: 'Database Instance',
          databaseEngine: 'PostgreSQL',
          instanceType: priced.class,
          deploymentOption: deploymentOptions[priced.deployment],
        },
        isMeant: every,
        unit: 'Hrs',
        per: 'hour',
      };
    case 'database-storage':
      return {
        serviceCode: 'AmazonRDS',
        attributes: {
          regionCode,
          productFamily: 'Database Storage',
          volumeType: volumeTypes[priced.type],
          deploymentOption: deploymentOptions[priced.deployment],
        },
        isMeant: isForPostgres,
        unit: 'GB-Mo',
        per: 'month',
      };
    case 'database-iops':
      return {
        serviceCode: 'AmazonRDS',
        attributes: {
          regionCode,
          productFamily: 'Provisioned IOPS',
          deploymentOption: deploymentOptions[priced.deployment],
        },
        isMeant: (attributes) =>
          isForPostgres(attributes) && iopsUsage[priced.type].test(attributes['usagetype'] ?? ''),
        unit: 'IOPS-Mo',
        per: 'month',
      };
    case 'database-throughput':
    case 'database-insights':
      return null;
  }
}

/** The price list has storage by engine, or for any engine. */
function isForPostgres({ databaseEngine = 'Any' }: Readonly<Record<string, string>>): boolean {
  return databaseEngine === 'PostgreSQL' || databaseEngine === 'Any';
}
