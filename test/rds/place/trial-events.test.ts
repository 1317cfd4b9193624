import { describe, expect, it } from 'vitest';
import { describeTrialEvents } from '../../../runner/rds/place/trial-events.ts';
import { xmlAnswer } from '../../helpers/fakes/fake-aws.ts';
import { boundInstance, type FakeRds, fakeRds } from '../../helpers/fakes/fake-rds.ts';

const [from, to] = [new Date('2026-11-21T08:00:00Z'), new Date('2026-11-21T08:15:00Z')];

it('what RDS tells of an instance during a trial is sorted by what a trial must not have in it', async () => {
  const event = (Message: string, ...EventCategories: string[]) => ({
    Message,
    EventCategories,
    Date: '2026-11-21T08:03:00Z',
  });
  const { client, aws } = fakeRds(({ action }) =>
    xmlAnswer(action, {
      Events: [
        event('Backing up DB instance', 'backup'),
        event('Multi-AZ instance failover started.', 'failover'),
        event('DB instance restarted', 'availability'),
        event('Applying modification', 'configuration change'),
        event('Something new'),
      ],
    }),
  );
  const events = await describeTrialEvents(client, boundInstance(), from, to);
  expect(events.map(({ kind }) => kind)).toEqual(['backup', 'failover', 'restart', 'other', 'other']);
  expect(events[0]).toEqual({ at: '2026-11-21T08:03:00.000Z', kind: 'backup', text: 'Backing up DB instance' });
  expect(aws.requests[0]?.input).toMatchObject({
    SourceIdentifier: 'alice-dlv-with-dlv',
    SourceType: 'db-instance',
    StartTime: '2026-11-20T20:00:00Z',
    EndTime: '2026-11-21T08:15:00Z',
  });
});

it('events that do not fit into one page are read to the last, and the trial has all of them', async () => {
  const pages: Record<string, object> = {
    '': { Marker: 'second', Events: [{ Message: 'first', Date: '2026-11-21T08:01:00Z' }] },
    second: { Events: [{ Message: 'failover started', Date: '2026-11-21T08:02:00Z', EventCategories: ['failover'] }] },
  };
  const { client } = fakeRds(({ action, input }) =>
    xmlAnswer(action, pages[(input['Marker'] as string | undefined) ?? ''] ?? {}),
  );
  const events = await describeTrialEvents(client, boundInstance(), from, to);
  expect(events.map(({ kind, text }) => `${kind}: ${text}`)).toEqual(['other: first', 'failover: failover started']);
});

describe('a backup that began before', () => {
  const reported = (...events: [at: string, text: string, category?: string][]) => {
    const { client } = fakeRds(({ action }) =>
      xmlAnswer(action, {
        Events: events.map(([at, Message, category = 'backup']) => ({
          Date: at,
          Message,
          EventCategories: [category],
        })),
      }),
    );
    return describeTrialEvents(client, boundInstance(), from, to);
  };
  const began: [string, string] = ['2026-11-21T07:40:00Z', 'Backing up DB instance'];

  it('is in the trial if RDS has not told of its end', async () => {
    expect(await reported(began, ['2026-11-21T07:50:00Z', 'DB instance restarted', 'availability'])).toEqual([
      { at: '2026-11-21T07:40:00.000Z', kind: 'backup', text: 'Backing up DB instance' },
    ]);
  });

  it('is in it, too, if it ended there, and not if it ended before', async () => {
    const events = await reported(began, ['2026-11-21T08:10:00Z', 'Finished DB instance backup']);
    expect(events.map(({ text }) => text)).toEqual(['Backing up DB instance', 'Finished DB instance backup']);
    expect(await reported(began, ['2026-11-21T07:50:00Z', 'Finished DB instance backup'])).toEqual([]);
  });
});

/** Events as RDS files them: a request finds those of its source type, and of its identifier if it has one. */
function rdsWithEvents(...filed: [source: string, at: string, text: string, category: string][]): FakeRds {
  return fakeRds(({ action, input }) => {
    if (action === 'DescribeDBClusters') {
      const members = ['c-instance-1', 'c-instance-2'].map((id) => ({ DBInstanceIdentifier: id }));
      return xmlAnswer(action, { DBClusters: [{ DBClusterMembers: members }] });
    }
    const { SourceType: type, SourceIdentifier: identifier } = input;
    return xmlAnswer(action, {
      Events: filed.flatMap(([source, at, Message, category]) => {
        const [SourceType, SourceIdentifier] = source.split(' ');
        return SourceType === type && (identifier === undefined || identifier === SourceIdentifier)
          ? [{ SourceType, SourceIdentifier, Date: `2026-11-21T${at}Z`, Message, EventCategories: [category] }]
          : [];
      }),
    });
  });
}

describe('the events of a Multi-AZ cluster', () => {
  const cluster = { kind: 'cluster', identifier: 'c', expected: { multiAz: true } };
  const during = async (...filed: Parameters<typeof rdsWithEvents>): Promise<string[]> => {
    const events = await describeTrialEvents(rdsWithEvents(...filed).client, cluster, from, to);
    return events.map(({ kind, text }) => `${kind}: ${text}`);
  };
  const snapshot = 'db-cluster-snapshot rds:c-2026-11-21-08-02';

  it('include its backups, which RDS files under the snapshots', async () => {
    expect(
      await during(
        [snapshot, '08:02:00', 'Creating automated cluster snapshot', 'backup'],
        [snapshot, '08:09:00', 'Automated cluster snapshot created', 'backup'],
      ),
    ).toEqual(['backup: Creating automated cluster snapshot', 'backup: Automated cluster snapshot created']);
  });

  it('include a backup that began before and goes on, whatever other backups have ended', async () => {
    const manual = 'db-cluster-snapshot awsbackup:job-1';
    expect(
      await during(
        [snapshot, '07:40:00', 'Creating automated cluster snapshot', 'backup'],
        [manual, '07:41:00', 'Creating manual cluster snapshot', 'backup'],
        [manual, '07:50:00', 'Manual cluster snapshot created', 'backup'],
      ),
    ).toEqual(['backup: Creating automated cluster snapshot']);
  });

  it('leave out automated backups of other clusters, and keep a snapshot whose name does not say whose it is', async () => {
    const of = (name: string): Parameters<typeof rdsWithEvents>[number] => [
      `db-cluster-snapshot ${name}`,
      '08:02:00',
      `Creating ${name}`,
      'backup',
    ];
    expect(await during(of('rds:d-2026-11-21-08-02'), of('rds:c-2-2026-11-21-08-02'), of('before-upgrade'))).toEqual([
      'backup: Creating before-upgrade',
    ]);
  });

  it('include restarts of its members and failovers of the cluster, in the order of time', async () => {
    expect(
      await during(
        ['db-cluster c', '08:05:00', 'Started cross AZ failover to DB instance: c-instance-2', 'failover'],
        ['db-instance c-instance-2', '08:04:00', 'DB instance restarted', 'availability'],
        ['db-instance another', '08:04:00', 'DB instance restarted', 'availability'],
      ),
    ).toEqual(['restart: DB instance restarted', 'failover: Started cross AZ failover to DB instance: c-instance-2']);
  });
});

describe('what RDS files under a category', () => {
  const kindOf = async (Message: string, category: string): Promise<string | undefined> => {
    const rds = rdsWithEvents(['db-instance alice-dlv-with-dlv', '08:03:00', Message, category]);
    return (await describeTrialEvents(rds.client, boundInstance(), from, to))[0]?.kind;
  };

  it.each([
    ['The DB instance has a DB engine minor version upgrade available.', 'maintenance'],
    ['The DB cluster has a DB engine minor version upgrade available.', 'maintenance'],
    ['RDS will replace the host of DB instance alice due to a pending maintenance action.', 'maintenance'],
    ['Operating system upgrade requirement detected.', 'maintenance'],
    ['Amazon RDS has scheduled a server certificate rotation for DB instance during the next window.', 'maintenance'],
    ['Amazon RDS has scheduled a reboot for this read replica in its next maintenance window', 'availability'],
  ])('has no effect if it is a notice: %s', async (message, category) => {
    expect(await kindOf(message, category)).toBe('other');
  });

  it.each([
    ['Applying off-line patches to DB instance', 'maintenance', 'maintenance'],
    ['Database instance patched', 'maintenance', 'maintenance'],
    ['Something that no list has yet', 'maintenance', 'maintenance'],
    ['Recovery of standby DB instance has started.', 'recovery', 'recovery'],
    ['The free storage capacity of the dedicated transaction log volume is too low', 'availability', 'storage'],
    [
      'A database workload is causing the system to run critically low on memory. To help mitigate the issue, RDS automatically set the value of shared_buffers to 1024.',
      'notification',
      'memory',
    ],
  ])('fails a trial if it did something to the server: %s', async (message, category, kind) => {
    expect(await kindOf(message, category)).toBe(kind);
  });
});
