import { DescribeEventsCommand, type RDSClient } from '@aws-sdk/client-rds';
import { callAws } from '../../aws/call.ts';
import type { VariantBinding } from '../../contract/binding.ts';
import type { TrialEvent } from '../../contract/trial-event.ts';

/** RDS's categories of events that a trial must not have in it; all others are kept, and change nothing. */
const kinds: Record<string, TrialEvent['kind']> = {
  availability: 'restart',
  backup: 'backup',
  failover: 'failover',
  failure: 'storage',
  'low storage': 'storage',
  maintenance: 'maintenance',
};

/**
 * What RDS tells so far of a database between two moments. It tells some events only a minute later.
 *
 * @throws {AwsCallError}
 */
export async function describeTrialEvents(
  rds: RDSClient,
  { kind, identifier }: Pick<VariantBinding, 'kind' | 'identifier'>,
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
