import { describe, expect, it } from 'vitest';
import { describeTrialEvents } from '../../../runner/places/deployed/observed-instances.ts';
import { xmlAnswer } from '../../helpers/fakes/fake-aws.ts';
import { boundInstance, fakeRds } from '../../helpers/fakes/fake-rds.ts';

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
  const told = (...events: [at: string, text: string, category?: string][]) => {
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
    expect(await told(began, ['2026-11-21T07:50:00Z', 'DB instance restarted', 'availability'])).toEqual([
      { at: '2026-11-21T07:40:00.000Z', kind: 'backup', text: 'Backing up DB instance' },
    ]);
  });

  it('is in it, too, if it ended there, and not if it ended before', async () => {
    const events = await told(began, ['2026-11-21T08:10:00Z', 'Finished DB instance backup']);
    expect(events.map(({ text }) => text)).toEqual(['Backing up DB instance', 'Finished DB instance backup']);
    expect(await told(began, ['2026-11-21T07:50:00Z', 'Finished DB instance backup'])).toEqual([]);
  });
});
