import { type Event, paginateDescribeEvents, type RDSClient } from '@aws-sdk/client-rds';
import { callAws } from '../aws/call.ts';
import type { TrialEvent } from '../../contract/trial.ts';
import type { EventSource } from '../deployments/deployment.ts';
import { type BoundDeployment, apiOf } from '../deployments/registry.ts';

/** RDS event categories that must not occur during a trial. All other events are recorded, but have no effect. */
const kinds: Record<string, TrialEvent['kind']> = {
  availability: 'restart',
  backup: 'backup',
  failover: 'failover',
  failure: 'storage',
  'low storage': 'storage',
  maintenance: 'maintenance',
  recovery: 'recovery',
};

/**
 * Events whose category does not say what happened to the server: notices of what may come, or of what RDS could not do,
 * and changes that RDS files as notifications. DescribeEvents returns no event id, so they are known by their published
 * messages. An event of these categories that is not listed here did something to the server.
 *
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Events.Messages.html for ids, categories and messages
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_Event.html for the fields of an event
 */
const published: readonly [ids: string, pattern: RegExp, kind: TrialEvent['kind']][] = [
  ['RDS-EVENT-0155, 0156', /has a DB engine minor version upgrade (available|required)/i, 'other'],
  ['RDS-EVENT-0174', /^database cluster is in a state that cannot be upgraded/i, 'other'],
  ['RDS-EVENT-0287', /^operating system upgrade requirement detected/i, 'other'],
  ['RDS-EVENT-0396', /^amazon rds has scheduled a reboot/i, 'other'],
  ['RDS-EVENT-0422', /^rds will replace the host/i, 'other'],
  ['RDS-EVENT-0425, 0429', /^amazon rds can.t perform the os upgrade/i, 'other'],
  ['RDS-EVENT-0501', /server certificate requires rotation/i, 'other'],
  ['RDS-EVENT-0502', /^amazon rds has scheduled a server certificate rotation/i, 'other'],
  ['RDS-EVENT-0221', /has reached the storage-full threshold/i, 'storage'],
  ['RDS-EVENT-0330, 0331', /^the free storage capacity of the dedicated transaction log volume/i, 'storage'],
  ['RDS-EVENT-0404', /automatically set the value of shared_buffers/i, 'memory'],
];

/** A backup may have begun before the trial. Backups of RDS take less than this. */
const lookBackHours = 12;
/** First words of RDS-EVENT-0001, and of the events of instance and cluster snapshots (RDS-EVENT-0074, 0168). */
const backupBegins = /^(backing up|creating)/i;

/**
 * The events that RDS has reported so far for a database between two moments, and backups that began earlier and whose
 * end it has not reported. RDS reports some events only a minute later.
 *
 * @throws {AwsCallError}
 */
export async function describeTrialEvents(
  rds: RDSClient,
  server: BoundDeployment & { identifier: string },
  from: Date,
  to: Date,
): Promise<TrialEvent[]> {
  const { identifier } = server;
  const asked = { StartTime: new Date(from.getTime() - lookBackHours * 3_600_000), EndTime: to };
  const sources = await sourcesOf(rds, server);
  const bySource = await Promise.all(
    sources.map((source) =>
      callAws('rds:DescribeEvents', source.SourceIdentifier ?? identifier, async () => {
        const found: Event[] = [];
        for await (const { Events = [] } of paginateDescribeEvents({ client: rds }, { ...source, ...asked })) {
          found.push(...Events);
        }
        return found;
      }),
    ),
  );
  const reported = bySource
    .flat()
    .filter((event) => mayBeOf(identifier, event))
    .map((event) => ({ source: event.SourceIdentifier, event: trialEvent(event, from) }))
    .sort(({ event: { at: one } }, { event: { at: next } }) => (one < next ? -1 : one > next ? 1 : 0));
  const isBefore = ({ at }: TrialEvent): boolean => new Date(at) < from;
  const lastBackups = new Map<string | undefined, TrialEvent>();
  for (const { source, event } of reported) {
    if (isBefore(event) && event.kind === 'backup') lastBackups.set(source, event);
  }
  const goingOn = [...lastBackups.values()].filter(({ text }) => backupBegins.test(text));
  return [...goingOn, ...reported.flatMap(({ event }) => (isBefore(event) ? [] : [event]))];
}

/** What RDS files the events of a database under. Those of its instances have their names. */
async function sourcesOf(rds: RDSClient, server: BoundDeployment & { identifier: string }): Promise<EventSource[]> {
  const api = await apiOf(server);
  const members = await api.members(rds, server.identifier);
  return [
    ...api.eventSources(server.identifier),
    ...members.map(({ identifier }): EventSource => ({ SourceType: 'db-instance', SourceIdentifier: identifier })),
  ];
}

/**
 * Whether an event is not of a snapshot of another cluster. Automated snapshots have the name of their cluster in theirs,
 * such as `rds:alice-cluster-2026-11-21-05-04`. A name that a person or AWS Backup chose does not say of which cluster it
 * is; it may be this one.
 */
function mayBeOf(identifier: string, { SourceType, SourceIdentifier = '' }: Event): boolean {
  if (SourceType !== 'db-cluster-snapshot') return true;
  const automated = /^rds:(.+)-\d{4}(-\d\d){4}$/.exec(SourceIdentifier)?.[1];
  return automated === undefined || automated === identifier;
}

function trialEvent({ Date: at, EventCategories = [], Message = '' }: Event, from: Date): TrialEvent {
  return {
    at: (at ?? from).toISOString(),
    kind:
      published.find(([, pattern]) => pattern.test(Message))?.[2] ??
      EventCategories.flatMap((category) => kinds[category] ?? [])[0] ??
      'other',
    text: Message,
  };
}
