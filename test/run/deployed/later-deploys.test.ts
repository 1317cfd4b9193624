import { SSMClient } from '@aws-sdk/client-ssm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { boundClient } from '../../../runner/aws/bound-client.ts';
import type { Binding } from '../../../runner/contract/binding.ts';
import type { RunEvent } from '../../../runner/contract/run-event.ts';
import { laterDeploys } from '../../../runner/run/deployed/superseded.ts';
import { fakeAws, jsonAnswer } from '../../helpers/fakes/fake-aws.ts';
import { boundInstance, sampleBinding } from '../../helpers/fakes/fake-rds.ts';
import { slowService } from '../../helpers/servers/slow-service.ts';

const credentials = { accessKeyId: 'AKIAMADEUP', secretAccessKey: 'made-up' };
const binding = sampleBinding({ 'with-dlv': boundInstance() });

/** What a run that has `binding` does when the parameter holds this. */
async function look(latest: Partial<Binding> | null): Promise<{ reason: unknown; events: RunEvent[]; asked: unknown }> {
  const { options, requests } = fakeAws(() =>
    latest === null
      ? { status: 400, body: JSON.stringify({ __type: 'AccessDeniedException', message: 'not authorized' }) }
      : jsonAnswer({ Parameter: { Value: JSON.stringify({ ...binding, ...latest }) } }),
  );
  const events: RunEvent[] = [];
  const later = laterDeploys(new SSMClient(options), binding, (event) => events.push(event));
  await later.look();
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
    expect(reason).toHaveProperty('message', 'Another deploy, of profile more, took the place of this run.');
  });

  it('waits some seconds for an answer, and after that takes no time from the run for some minutes', async () => {
    const service = await slowService('silent');
    const settings = { endpoint: service.endpoint, region: 'us-east-1', credentials };
    const client = boundClient(SSMClient, settings, new AbortController().signal);
    onTestFinished(() => client.destroy());
    const events: RunEvent[] = [];
    const later = laterDeploys(client, binding, (event) => events.push(event));
    const startedAt = performance.now();
    for (let trial = 0; trial < 5; trial++) await later.look();
    expect((performance.now() - startedAt) / 1000).toBeLessThan(8);
    expect(service.asked()).toBe(1);
    expect(events).toMatchObject([
      {
        text: expect.stringMatching(
          /^It is not known whether there is a later deploy: .* did not get through/,
        ) as string,
      },
    ]);
  });

  it('goes on with a warning where it cannot look', async () => {
    const { reason, events } = await look(null);
    expect(reason).toBeUndefined();
    expect(events).toMatchObject([
      { kind: 'warning', text: expect.stringMatching(/^It is not known whether there is a later deploy: /) as string },
    ]);
  });
});
