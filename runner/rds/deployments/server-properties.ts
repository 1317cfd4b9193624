import type { DBCluster, DBInstance } from '@aws-sdk/client-rds';
import type { Experiment } from '../../contract/experiment/schema.ts';
import type { Variant } from '../../contract/experiment/variant.ts';
import { hasLogVolume, logVolumeKey, type MayHaveLogVolume } from '../../contract/log-volume.ts';
import { propertyIn, type PropertyValue, type ServerProperty } from '../../contract/server-property.ts';
import type { Deployment } from './deployment.ts';
import { proxyKey, proxyOf } from './proxy.ts';
import { type DeployableStorage, provisionedBy } from './storage.ts';

/** A variant as a deploy makes it. */
export type MadeVariant = Pick<Variant, 'deployment' | 'pooler'> &
  MayHaveLogVolume & { class: string; storage: DeployableStorage; engine: { version: string } };

/** What a deploy asks of a server. */
export interface AskedServer {
  variant: MadeVariant;
  deployment: Pick<Deployment, 'multiAz'>;
  experiment: Pick<Experiment, 'monitoring' | 'backups'>;
  availabilityZone: string;
  parameterGroup: string;
}

/** A property of a server in RDS: what asks for it, and where RDS reports it. All of a server is fixed at its creation. */
interface RdsProperty extends ServerProperty {
  /** What RDS must report; null leaves the choice to RDS, so any value is right. */
  asked: (server: AskedServer) => PropertyValue | undefined;
  instance: (found: DBInstance) => PropertyValue | undefined;
  cluster: (found: DBCluster) => PropertyValue | undefined;
  /** Records that it is not asked of, or in which RDS does not report it, leave it out. @default false */
  isRare?: boolean;
  /** Whether a server may differ from what was asked. @default never */
  mayDiffer?: (expected: object) => boolean;
  /** Why a server is wrong that has it, or has it not, as a text that follows its name. @default made of its name */
  wrong?: readonly [has: string, hasNot: string];
}

export const rdsProperties: readonly RdsProperty[] = [
  {
    id: 'class',
    name: 'instance class',
    check: 'deployment',
    asked: ({ variant }) => variant.class,
    instance: (found) => found.DBInstanceClass,
    cluster: (found) => found.DBClusterInstanceClass,
  },
  {
    id: 'engineVersion',
    name: 'engine version',
    asked: ({ variant }) => variant.engine.version,
    instance: (found) => found.EngineVersion,
    cluster: (found) => found.EngineVersion,
  },
  {
    id: 'storage.type',
    name: 'storage type',
    check: 'deployment',
    asked: ({ variant }) => variant.storage.type,
    instance: (found) => found.StorageType,
    cluster: (found) => found.StorageType,
  },
  {
    id: 'storage.sizeGib',
    name: 'storage size in GiB',
    check: 'deployment',
    asked: ({ variant }) => variant.storage.sizeGib,
    instance: (found) => found.AllocatedStorage,
    cluster: (found) => found.AllocatedStorage,
  },
  {
    id: 'storage.iops',
    name: 'IOPS',
    check: 'deployment',
    asked: ({ variant }) => provisionedBy(variant.storage).iops ?? null,
    instance: (found) => found.Iops,
    cluster: (found) => found.Iops,
  },
  {
    id: 'storage.throughputMibps',
    name: 'throughput in MiB/s',
    check: 'deployment',
    asked: ({ variant }) => provisionedBy(variant.storage).throughputMibps ?? null,
    instance: (found) => found.StorageThroughput,
    cluster: (found) => found.StorageThroughput,
  },
  {
    id: logVolumeKey,
    name: 'dedicated log volume',
    yesNo: ['there', 'missing'],
    check: 'log-volume',
    asked: ({ variant }) => hasLogVolume(variant),
    instance: (found) => found.DedicatedLogVolume ?? false,
    // RDS offers none for clusters.
    cluster: () => false,
    wrong: [
      'has a dedicated log volume, but the experiment does not ask for one',
      'has no dedicated log volume, but the experiment asks for one',
    ],
  },
  {
    id: 'multiAz',
    name: 'Multi-AZ setting',
    check: 'deployment',
    definedAs: 'deployment',
    asked: ({ deployment }) => deployment.multiAz,
    instance: (found) => found.MultiAZ ?? false,
    cluster: (found) => found.MultiAZ ?? false,
  },
  {
    id: 'availabilityZone',
    name: 'zone',
    check: 'zone',
    definedAs: 'zone',
    label: 'zone of the primary',
    asked: ({ availabilityZone }) => availabilityZone,
    instance: (found) => found.AvailabilityZone,
    // That of the writer, which the cluster does not know.
    cluster: () => null,
    // A failover may bring the primary to the zone of a standby.
    mayDiffer: (expected) => propertyIn(expected, 'multiAz') === true,
  },
  {
    id: 'parameterGroup',
    name: 'parameter group',
    asked: ({ parameterGroup }) => parameterGroup,
    instance: (found) => found.DBParameterGroups?.[0]?.DBParameterGroupName,
    cluster: (found) => found.DBClusterParameterGroup,
  },
  {
    id: 'backupRetentionDays',
    name: 'backup retention in days',
    asked: ({ experiment }) => experiment.backups.retentionDays,
    instance: (found) => found.BackupRetentionPeriod,
    cluster: (found) => found.BackupRetentionPeriod,
  },
  {
    id: 'monitoringIntervalSeconds',
    name: 'interval of Enhanced Monitoring in seconds',
    asked: ({ experiment }) => experiment.monitoring.enhancedMonitoringSeconds,
    instance: (found) => found.MonitoringInterval ?? 0,
    cluster: (found) => found.MonitoringInterval ?? 0,
  },
  {
    // It samples the sessions, and AWS bills for it.
    id: 'databaseInsights',
    name: 'mode of Database Insights',
    check: 'deployment',
    label: 'Database Insights',
    asked: ({ experiment }) => experiment.monitoring.databaseInsights.mode,
    instance: insightsMode,
    cluster: insightsMode,
  },
  {
    id: proxyKey,
    name: 'share of connections of its RDS Proxy in percent',
    check: 'deployment',
    definedAs: 'pooler',
    label: 'connections for RDS Proxy, %',
    isRare: true,
    asked: ({ variant }) => proxyOf(variant)?.maxConnectionsPercent,
    // RDS describes a proxy by itself (proxy-api.ts).
    instance: () => undefined,
    cluster: () => undefined,
  },
];

/** RDS reports a mode also of what is switched off. */
function insightsMode({
  PerformanceInsightsEnabled: isOn,
  DatabaseInsightsMode: mode = 'standard',
}: Pick<DBInstance & DBCluster, 'PerformanceInsightsEnabled' | 'DatabaseInsightsMode'>): string {
  return isOn === true ? mode : 'off';
}

/** A record of all properties, each at the place that its id names. */
export function recordOf(value: (property: RdsProperty) => PropertyValue | undefined): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const property of rdsProperties) {
    const found = value(property);
    if (found === undefined && property.isRare === true) continue;
    const keys = property.id.split('.');
    const last = keys.pop() ?? '';
    const inner = keys.reduce((outer, key) => (outer[key] ??= {}) as Record<string, unknown>, record);
    inner[last] = found ?? null;
  }
  return record;
}

/**
 * How a database differs from what was asked for. Each difference is a text that follows the database's name; empty if there
 * are none.
 */
export function propertyDifferences(expected: object, database: object): string[] {
  return rdsProperties.flatMap(({ id, name, wrong, mayDiffer }) => {
    const [wanted, actual] = [propertyIn(expected, id), propertyIn(database, id)];
    if (wanted === null || mayDiffer?.(expected) === true || isAlike(wanted, actual)) return [];
    return [wrong?.[wanted === true ? 1 : 0] ?? `has ${name} ${shown(actual)} instead of ${shown(wanted)}`];
  });
}

/** RDS writes names of parameter groups in lower case. */
function isAlike(wanted: PropertyValue, actual: PropertyValue): boolean {
  const lower = (value: PropertyValue): PropertyValue => (typeof value === 'string' ? value.toLowerCase() : value);
  return lower(wanted) === lower(actual);
}

function shown(value: PropertyValue): string {
  return value === null ? 'unknown' : typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
}
