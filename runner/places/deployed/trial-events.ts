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

/**
 * What RDS has told so far about a database between two moments. It tells some events only a minute later.
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
        StartTime: from,
        EndTime: to,
      }),
    ),
  );
  return Events.map(({ Date: at, EventCategories = [], Message = '' }) => ({
    at: (at ?? from).toISOString(),
    kind: EventCategories.flatMap((category) => kinds[category] ?? [])[0] ?? 'other',
    text: Message,
  }));
}
