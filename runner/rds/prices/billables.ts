import { hasLogVolume } from '../../contract/log-volume.ts';
import { calledServices } from '../deploy/aws-sources.ts';
import type { DeployableExperiment, DeployableVariant } from '../deploy/deployable.ts';
import { proxyOf } from '../deployments/proxy.ts';
import { deploymentOf, instanceCount } from '../deployments/registry.ts';
import { vcpusOf } from '../place/class-capacity.ts';
import { includedIn, logVolumeIops, provisionedBy } from '../deployments/storage.ts';
import type { Priced } from './price.ts';

/** One line of the bill while an experiment is deployed. */
export interface Billable {
  /** null for the driver and what belongs to it. */
  variant: string | null;
  /** Such as "10,000 IOPS of io2". */
  what: string;
  priced: Priced;
  /** Number of units that are billed at the same time, such as GiB or IOPS. */
  quantity: number;
  /** Whether it is part of a dedicated log volume. */
  logVolume: boolean;
}

/** A dedicated log volume is provisioned as 1,024 GiB and billed as 1,000; its IOPS are fixed. */
const logVolume = { billedGib: 1000, iops: logVolumeIops };

const freeInsightsDays = 7;

/** The least that RDS Proxy is billed for. @see https://aws.amazon.com/rds/proxy/pricing/ */
const minProxyVcpus = 2;

/** Small items that are billed by usage. No estimate includes them. */
export const leftOut =
  'logs, metrics and dashboard in CloudWatch, requests and storage of S3, the secret, data transfer, backups beyond the free share';

/** US dollars for a GiB and month in us-east-1. @see https://aws.amazon.com/rds/postgresql/pricing/ */
const snapshotDollarsPerGib = 0.095;

/** What snapshots that outlive an experiment's stack cost at most: RDS bills what each holds. null if there are none. */
export function snapshotCost({
  data,
  removal,
  variants,
  protocol,
}: DeployableExperiment): { count: number; maxDollarsPerMonth: number } | null {
  const sizes = Object.values(variants).map(({ storage }) => storage.sizeGib);
  const kept = [
    // Of the baseline, which is the first.
    ...(data.keep ? sizes.slice(0, 1) : []),
    ...(removal.finalSnapshot ? sizes.flatMap((gib) => Array.from({ length: protocol.replicas }, () => gib)) : []),
  ];
  const gib = kept.reduce((sum, one) => sum + one, 0);
  return kept.length === 0 ? null : { count: kept.length, maxDollarsPerMonth: gib * snapshotDollarsPerGib };
}

/** Everything of an experiment's stack that is billed as long as the stack exists. */
export function billables(experiment: DeployableExperiment): Billable[] {
  const { driver, network, variants, monitoring, protocol } = experiment;
  const driverBillable = (what: string, priced: Priced, quantity = 1): Billable => ({
    variant: null,
    what,
    priced,
    quantity,
    logVolume: false,
  });
  // Endpoints of the private mode that are billed by the hour: S3's is free.
  const endpoints = calledServices(experiment).filter((service) => service !== 's3').length;
  const publicAddress = network.mode === 'public-driver' || (network.mode === 'existing' && network.publicAddress);
  return [
    driverBillable(driver.class, { kind: 'driver-instance', class: driver.class }),
    driverBillable(`${count(driver.volumeGib)} GiB of gp3`, { kind: 'driver-volume' }, driver.volumeGib),
    ...(publicAddress ? [driverBillable('public address', { kind: 'public-address' })] : []),
    ...(network.mode === 'private' ? [driverBillable(`${endpoints} endpoints`, { kind: 'endpoint' }, endpoints)] : []),
    ...Object.entries(variants)
      .flatMap(([name, variant]) => variantBillables(name, variant, monitoring))
      .map((line) => forServers(line, protocol.replicas)),
  ];
}

/** The same line for several servers. */
function forServers(line: Billable, servers: number): Billable {
  if (servers === 1) return line;
  return { ...line, what: `${servers} × ${line.what}`, quantity: servers * line.quantity };
}

/** Database Insights and the number of vCPUs that are billed for it; null if nothing is billed. */
function insightsOf(
  { databaseInsights }: DeployableExperiment['monitoring'],
  { class: databaseClass, deployment }: DeployableVariant,
): { what: string; priced: Priced; vcpus: number } | null {
  const { mode } = databaseInsights;
  if (mode === 'off' || (mode === 'standard' && databaseInsights.retentionDays <= freeInsightsDays)) return null;
  const what =
    mode === 'advanced'
      ? 'Database Insights, advanced'
      : `Database Insights for ${databaseInsights.retentionDays} days`;
  // All three instances of a cluster are watched; the standby of a Multi-AZ instance is not.
  const vcpus = vcpusOf(databaseClass) * instanceCount(deploymentOf({ deployment }));
  return { what, priced: { kind: 'database-insights', mode }, vcpus };
}

function variantBillables(
  variant: string,
  settings: DeployableVariant,
  monitoring: DeployableExperiment['monitoring'],
): Billable[] {
  const { class: databaseClass, deployment, storage } = settings;
  const insights = insightsOf(monitoring, settings);
  const extra = beyondIncluded(storage);
  const line = (what: string, priced: Priced, quantity: number): Billable => ({
    variant,
    what,
    priced,
    quantity,
    logVolume: false,
  });
  const size = (gib: number, what = `${count(gib)} GiB of ${storage.type}`) =>
    line(what, { kind: 'database-storage', type: storage.type, deployment }, gib);
  const iops = (number: number, what = `${count(number)} IOPS of ${storage.type}`) =>
    line(what, { kind: 'database-iops', type: storage.type, deployment }, number);
  const throughput = line(
    `${count(extra.throughputMibps)} MiB/s of ${storage.type}`,
    { kind: 'database-throughput', deployment },
    extra.throughputMibps,
  );
  const forLog = [
    size(logVolume.billedGib, `log volume: ${count(logVolume.billedGib)} GiB`),
    iops(logVolume.iops, `log volume: ${count(logVolume.iops)} IOPS`),
  ];
  return [
    line(`${databaseClass}, ${deployment}`, { kind: 'database-instance', class: databaseClass, deployment }, 1),
    size(storage.sizeGib),
    ...(extra.iops > 0 ? [iops(extra.iops)] : []),
    ...(extra.throughputMibps > 0 ? [throughput] : []),
    ...(proxyOf(settings)
      ? [line('RDS Proxy', { kind: 'database-proxy' }, Math.max(minProxyVcpus, vcpusOf(databaseClass)))]
      : []),
    ...(insights === null ? [] : [line(insights.what, insights.priced, insights.vcpus)]),
    ...(hasLogVolume(settings) ? forLog.map((one) => ({ ...one, logVolume: true })) : []),
  ];
}

/** IOPS and MiB/s that are billed: those beyond what the size of the storage includes. */
function beyondIncluded(storage: DeployableVariant['storage']): { iops: number; throughputMibps: number } {
  const { iops = 0, throughputMibps = 0 } = provisionedBy(storage);
  const included = includedIn(storage);
  return {
    iops: Math.max(0, iops - included.iops),
    throughputMibps: Math.max(0, throughputMibps - included.throughputMibps),
  };
}

function count(value: number): string {
  return value.toLocaleString('en');
}
