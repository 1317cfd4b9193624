import { expect, it } from 'vitest';
import type { Target } from '../../../runner/postgres/target.ts';
import { restartServer } from '../../../runner/rds/place/restart-server.ts';
import { boundInstance, fakeClock, type FakeRds, rdsInstance, rdsWithInstance } from '../../helpers/fakes/fake-rds.ts';

const target: Target = {
  server: 'with-dlv',
  host: 'db',
  port: 5432,
  user: 'pgduet',
  database: 'pgduet',
  environment: {},
};

/** A restart of a server that tells these starts, one after another and then always the last; an error is no answer. */
function restart(rds: FakeRds, starts: readonly (string | Error)[]): { done: Promise<void>; pauses: number[] } {
  const clock = fakeClock();
  let asked = 0;
  const done = restartServer('with-dlv', boundInstance(), target, {
    ...clock,
    rds: rds.client,
    signal: new AbortController().signal,
    limitSeconds: 600,
    say: () => undefined,
    probe: () => Promise.resolve(null),
    startOf() {
      const start = starts[Math.min(asked++, starts.length - 1)] ?? new Error('none');
      return start instanceof Error ? Promise.reject(start) : Promise.resolve(start);
    },
  });
  return { done, pauses: clock.pauses };
}

const reboots = ({ aws }: FakeRds): unknown[] =>
  aws.requests.filter(({ action }) => action.startsWith('Reboot')).map(({ input }) => input);

it('is over when the server has started anew, is available, and was not before: RDS shows a reboot only later', async () => {
  const rds = rdsWithInstance(rdsInstance({ DBInstanceStatus: 'rebooting' }), rdsInstance());
  const { done, pauses } = restart(rds, ['10:00', '10:00', new Error('starting up'), '10:02']);
  await done;
  expect(reboots(rds)).toEqual([expect.objectContaining({ DBInstanceIdentifier: 'alice-dlv-with-dlv' })]);
  // Three looks for the start, and one more for the status.
  expect(pauses).toEqual([5, 5, 5, 15]);
});

it('is given up, as something that may pass, when the server does not come back in half an hour', async () => {
  const { done } = restart(rdsWithInstance(rdsInstance()), ['10:00', new Error('no answer')]);
  await expect(done).rejects.toMatchObject({
    message: 'Variant with-dlv (alice-dlv-with-dlv) was rebooted, but its server had not restarted after 30 minutes.',
    isTransient: true,
  });
});

it('does not begin with a server that does not answer', async () => {
  const rds = rdsWithInstance(rdsInstance());
  await expect(restart(rds, [new Error('no answer')]).done).rejects.toThrow('no answer');
  expect(reboots(rds)).toEqual([]);
});
