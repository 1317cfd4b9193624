import { type DBInstance, type Event, paginateDescribeEvents, type RDSClient } from '@aws-sdk/client-rds';
import type { ObservedInstance } from '../../aws/sources.ts';
import type { ServerBinding } from '../../contract/binding.ts';
import { findCluster, findInstance } from './describe-database.ts';
import { callAws } from '../../aws/call.ts';
import type { TrialEvent } from '../../contract/trial.ts';

/**
 * The instances of a server, as RDS names them now. For a cluster, the writer comes first, then the readers in the
 * order of their names.
 *
 * @throws {AwsCallError}
 */
export async function observedInstances(
  rds: RDSClient,
  { kind, identifier, expected }: ServerBinding,
): Promise<ObservedInstance[]> {
  const observed = (role: string, instance: DBInstance): ObservedInstance => ({
    role,
    identifier: instance.DBInstanceIdentifier ?? '',
    resourceId: instance.DbiResourceId ?? null,
    insights: instance.PerformanceInsightsEnabled ?? false,
    monitoringIntervalSeconds: instance.MonitoringInterval ?? 0,
    dedicatedLogVolume: expected.dedicatedLogVolume,
  });
  if (kind === 'instance') {
    const instance = await findInstance(rds, identifier);
    return instance ? [observed('only', instance)] : [];
  }
  const { DBClusterMembers: members = [] } = (await findCluster(rds, identifier)) ?? {};
  const inOrder = [...members].sort(
    (a, b) =>
      Number(b.IsClusterWriter ?? false) - Number(a.IsClusterWriter ?? false) ||
      ((a.DBInstanceIdentifier ?? '') < (b.DBInstanceIdentifier ?? '') ? -1 : 1),
  );
  const instances = await Promise.all(
    inOrder.map(({ DBInstanceIdentifier: member = '' }) => findInstance(rds, member)),
  );
  const writers = inOrder.filter(({ IsClusterWriter }) => IsClusterWriter === true).length;
  return instances.flatMap((instance, index) =>
    instance ? [observed(index < writers ? 'writer' : `reader${index - writers + 1}`, instance)] : [],
  );
}

/** RDS event categories that must not occur during a trial. All other events are recorded, but have no effect. */
const kinds: Record<string, TrialEvent['kind']> = {
  availability: 'restart',
  backup: 'backup',
  failover: 'failover',
  failure: 'storage',
  'low storage': 'storage',
  maintenance: 'maintenance',
};

/** A backup may have begun before the trial. Backups of RDS take less than this. */
const lookBackHours = 12;
/**
 * First words of RDS-EVENT-0001, and of the events of instance and cluster snapshots. The events themselves have no
 * event number.
 */
const backupBegins = /^(backing up|creating)/i;

/**
 * The events that RDS has reported so far for a database between two moments, and a backup that began earlier and whose
 * end it has not reported. RDS reports some events only a minute later.
 *
 * @throws {AwsCallError}
 */
export async function describeTrialEvents(
  rds: RDSClient,
  { kind, identifier }: Pick<ServerBinding, 'kind' | 'identifier'>,
  from: Date,
  to: Date,
): Promise<TrialEvent[]> {
  const asked = {
    SourceIdentifier: identifier,
    SourceType: kind === 'cluster' ? ('db-cluster' as const) : ('db-instance' as const),
    StartTime: new Date(from.getTime() - lookBackHours * 3_600_000),
    EndTime: to,
  };
  const events = await callAws('rds:DescribeEvents', identifier, async () => {
    const found: Event[] = [];
    for await (const { Events = [] } of paginateDescribeEvents({ client: rds }, asked)) found.push(...Events);
    return found;
  });
  const told = events
    .map(({ Date: at, EventCategories = [], Message = '' }): TrialEvent => ({
      at: (at ?? from).toISOString(),
      kind: EventCategories.flatMap((category) => kinds[category] ?? [])[0] ?? 'other',
      text: Message,
    }))
    .sort((one, next) => (one.at < next.at ? -1 : one.at > next.at ? 1 : 0));
  const isBefore = ({ at }: TrialEvent): boolean => new Date(at) < from;
  return [...goingOn(told.filter(isBefore)), ...told.filter((event) => !isBefore(event))];
}

/** The beginning of a backup that has not ended, from the events of some hours. */
function goingOn(earlier: readonly TrialEvent[]): TrialEvent[] {
  const last = earlier.filter(({ kind }) => kind === 'backup').at(-1);
  return last && backupBegins.test(last.text) ? [last] : [];
}
