import { DescribeEventsCommand, type RDSClient } from '@aws-sdk/client-rds';
import { callAws } from '../../aws/call.ts';
import type { ServerBinding } from '../../contract/binding.ts';
import type { TrialEvent } from '../../contract/trial-event.ts';

/** RDS's categories of events that must not happen during a trial. All other events are kept, and change nothing. */
const kinds: Record<string, TrialEvent['kind']> = {
  availability: 'restart',
  backup: 'backup',
  failover: 'failover',
  failure: 'storage',
  'low storage': 'storage',
  maintenance: 'maintenance',
};

/** A backup may have begun before. Those of RDS take less than this. */
const lookBackHours = 12;
/**
 * First words of RDS-EVENT-0001, and of the events of snapshots of instances and clusters. The events themselves do not tell their
 * numbers.
 */
const backupBegins = /^(backing up|creating)/i;

/**
 * What RDS has told so far about a database between two moments, and a backup before them of which it has not told the end. It tells some events only a minute later.
 *
 * @throws {AwsCallError}
 */
export async function describeTrialEvents(
  rds: RDSClient,
  { kind, identifier }: Pick<ServerBinding, 'kind' | 'identifier'>,
  from: Date,
  to: Date,
): Promise<TrialEvent[]> {
  const { Events = [] } = await callAws('rds:DescribeEvents', identifier, () =>
    rds.send(
      new DescribeEventsCommand({
        SourceIdentifier: identifier,
        SourceType: kind === 'cluster' ? 'db-cluster' : 'db-instance',
        StartTime: new Date(from.getTime() - lookBackHours * 3_600_000),
        EndTime: to,
      }),
    ),
  );
  const told = Events.map(({ Date: at, EventCategories = [], Message = '' }): TrialEvent => ({
    at: (at ?? from).toISOString(),
    kind: EventCategories.flatMap((category) => kinds[category] ?? [])[0] ?? 'other',
    text: Message,
  })).sort((one, next) => (one.at < next.at ? -1 : one.at > next.at ? 1 : 0));
  const isBefore = ({ at }: TrialEvent): boolean => new Date(at) < from;
  return [...goingOn(told.filter(isBefore)), ...told.filter((event) => !isBefore(event))];
}

/** A backup that had begun and not ended, of the events of some hours. */
function goingOn(earlier: readonly TrialEvent[]): TrialEvent[] {
  const last = earlier.filter(({ kind }) => kind === 'backup').at(-1);
  return last && backupBegins.test(last.text) ? [last] : [];
}
