import { SSMClient } from '@aws-sdk/client-ssm';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { boundClient } from '../../../runner/rds/aws/bound-client.ts';
import type { Binding } from '../../../runner/rds/contract/binding.ts';
import type { RunEvent } from '../../../runner/contract/status.ts';
import { LaterDeploys, stackExpiry } from '../../../runner/rds/driver/early-end.ts';
import { fakeAws, jsonAnswer } from '../../helpers/fakes/fake-aws.ts';
import { boundInstance, sampleBinding } from '../../helpers/fakes/fake-rds.ts';
import { slowService } from '../../helpers/servers/slow-service.ts';

const credentials = { accessKeyId: 'AKIAMADEUP', secretAccessKey: 'made-up' };
const binding = sampleBinding({ 'with-dlv': boundInstance() });

const noEnds = { expiry: { know: () => undefined }, limit: { keepTo: () => undefined } };

/** What a run that has `binding` does when the parameter holds this. */
async function look(
  latest: Partial<Binding> | null,
  madeFor = latest?.deploy,
): Promise<{ reason: unknown; events: RunEvent[]; asked: unknown }> {
  const { options, requests } = fakeAws(({ input }) =>
    latest === null
      ? { status: 400, body: JSON.stringify({ __type: 'AccessDeniedException', message: 'not authorized' }) }
      : jsonAnswer({
          Parameter: {
            Value: String(input['Name']).endsWith('/databases') ? madeFor : JSON.stringify({ ...binding, ...latest }),
          },
        }),
  );
  const events: RunEvent[] = [];
  const later = new LaterDeploys(new SSMClient(options), binding, (event) => events.push(event));
  await later.look(noEnds);
  return { reason: later.signal.reason, events, asked: requests[0]?.input };
}

describe('a run that looks for a later deploy', () => {
  it('asks by the permission that the driver has: for its own binding', async () => {
    expect((await look({})).asked).toEqual({ Name: '/pgduet/experiments/dlv/alice/binding' });
  });

  it('goes on where the parameter is as it was, or only tells another lifetime', async () => {
    for (const same of [{}, { lifetimeHours: 48 }, { running: 'abort' as const }]) {
      expect(await look(same)).toMatchObject({ reason: undefined, events: [] });
    }
  });

  it('follows the lifetime and the dollars of the latest deploy, whatever else that wants', async () => {
    const heard: unknown[] = [];
    const ends = {
      expiry: { know: (hours: number | null) => heard.push(hours) },
      limit: { keepTo: (dollars: number) => heard.push(dollars) },
    };
    const { options } = fakeAws(() =>
      jsonAnswer({ Parameter: { Value: JSON.stringify({ ...binding, lifetimeHours: 3, limitDollars: 14 }) } }),
    );
    await new LaterDeploys(new SSMClient(options), binding, () => undefined).look(ends);
    expect(heard).toEqual([3, 14]);
  });

  const another = { deploy: 'ffffffffffff', experiment: { ...binding.experiment, profile: 'more' } };

  it('goes on to its end where another deploy lets it finish, and tells who waits', async () => {
    const { reason, events } = await look({ ...another, running: 'finish' });
    expect(reason).toBeUndefined();
    expect(events).toEqual([
      { kind: 'warning', text: 'Another deploy, of profile more, takes effect when this run has ended.' },
    ]);
  });

  it('ends where another deploy aborts it', async () => {
    const { reason } = await look({ ...another, running: 'abort' });
    expect(reason).toHaveProperty('message', 'Another deploy, of profile more, has replaced this run.');
  });

  it('goes on while that deploy has not changed the databases yet: it may still fail', async () => {
    const { reason, events } = await look({ ...another, running: 'abort' }, binding.deploy);
    expect(reason).toBeUndefined();
    expect(events).toEqual([]);
  });

  it('waits some seconds for an answer, and after that takes no time from the run for some minutes', async () => {
    const service = await slowService('silent');
    const settings = { endpoint: service.endpoint, region: 'us-east-1', credentials };
    const client = boundClient(SSMClient, settings, new AbortController().signal);
    onTestFinished(() => client.destroy());
    const events: RunEvent[] = [];
    const later = new LaterDeploys(client, binding, (event) => events.push(event));
    const startedAt = performance.now();
    for (let trial = 0; trial < 5; trial++) await later.look(noEnds);
    expect((performance.now() - startedAt) / 1000).toBeLessThan(20);
    expect(service.asked()).toBe(1);
    expect(events).toMatchObject([
      {
        text: expect.stringMatching(/^pgduet could not check for a later deploy: .* could not reach AWS/) as string,
      },
    ]);
  });

  it('goes on with a warning where it cannot look', async () => {
    const { reason, events } = await look(null);
    expect(reason).toBeUndefined();
    expect(events).toMatchObject([
      {
        kind: 'warning',
        text: expect.stringMatching(/^pgduet could not check for a later deploy: /) as string,
      },
    ]);
  });
});

const createdAt = new Date('2026-11-21T12:00:00Z');

/** After how many hours a run is stopped, and why; null if it is not within three months. */
async function stoppedAfter(
  lifetimeHours: number | null,
  lifetimeNow: () => Promise<number | null>,
): Promise<{ hours: number; reason: string } | null> {
  const { signal } = stackExpiry(createdAt, lifetimeHours, { now: () => new Date(), lifetimeNow });
  for (let quarters = 0; quarters <= 90 * 24 * 4; quarters++) {
    if (signal.aborted) return { hours: (quarters - 1) / 4, reason: (signal.reason as Error).message };
    await vi.advanceTimersByTimeAsync(15 * 60_000);
  }
  return null;
}

describe('a run whose stack expires', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: createdAt });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is stopped a quarter of an hour before that, so that it can save', async () => {
    expect(await stoppedAfter(24, () => Promise.resolve(24))).toEqual({
      hours: 23.5,
      reason:
        'Stopped by expiry.hours: 24. The stack expires at 2026-11-22T12:00:00.000Z, and pgduet reserves the last 15 minutes for saving.',
    });
  });

  it('goes on when the stack was given more time meanwhile, and is stopped before the end of that', async () => {
    expect(await stoppedAfter(24, () => Promise.resolve(48))).toMatchObject({ hours: 47.5 });
    expect(await stoppedAfter(24, () => Promise.resolve(null))).toBeNull();
  });

  it('is stopped where nobody can say whether the stack was given more time', async () => {
    const asked = await stoppedAfter(24, () => Promise.reject(new Error('no answer')));
    expect(asked).toMatchObject({ hours: 23.5 });
  });

  it('is stopped before the end of a lifetime that a later deploy has shortened, or at once', async () => {
    let lifetime = 24;
    const { signal, know } = stackExpiry(createdAt, lifetime, {
      now: () => new Date(),
      lifetimeNow: () => Promise.resolve(lifetime),
    });
    lifetime = 12;
    know(lifetime);
    await vi.advanceTimersByTimeAsync(11 * 3_600_000);
    expect(signal.aborted).toBe(false);
    lifetime = 5;
    know(lifetime);
    await vi.advanceTimersByTimeAsync(0);
    expect((signal.reason as Error).message).toMatch(/^Stopped by expiry\.hours: 5\./);
  });

  it('is not stopped too early by a lifetime that no timer can hold', async () => {
    expect(await stoppedAfter(24 * 60, () => Promise.resolve(24 * 60))).toMatchObject({ hours: 24 * 60 - 0.5 });
  });

  it('is not stopped while the clock says that it is not time, even if a timer says so', async () => {
    let clock = createdAt;
    const { signal } = stackExpiry(createdAt, 24, { now: () => clock, lifetimeNow: () => Promise.resolve(24) });
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    expect(signal.aborted).toBe(false);
    clock = new Date(createdAt.getTime() + 23.75 * 3_600_000);
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    expect(signal.aborted).toBe(true);
  });

  it('is not stopped where the stack never expires, or when the run has ended', async () => {
    expect(await stoppedAfter(null, () => Promise.resolve(null))).toBeNull();
    const { signal, clear } = stackExpiry(createdAt, 1, {
      now: () => new Date(),
      lifetimeNow: () => Promise.resolve(1),
    });
    clear();
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(signal.aborted).toBe(false);
  });
});
