import { expect, it } from 'vitest';
import { PartError, UserError } from '../../runner/contract/errors.ts';
import { keepTrying, withTries } from '../../runner/run/retry.ts';

/** Fails this many times with an error of this kind. */
function failing(times: number, error: Error): () => Promise<string> {
  let left = times;
  return () => (left-- > 0 ? Promise.reject(error) : Promise.resolve('done'));
}

it('is tried again after growing pauses of a minute to five, and each reason is told', async () => {
  const pauses: number[] = [];
  const reported: string[] = [];
  const done = await keepTrying(failing(5, new UserError('S3 is away.')), {
    warn: (text) => reported.push(text),
    pause: (seconds) => Promise.resolve(void pauses.push(seconds)),
    signal: new AbortController().signal,
  });
  expect(done).toBe('done');
  expect(pauses).toEqual([60, 120, 240, 300, 300]);
  expect(reported).toEqual(Array.from({ length: 5 }, () => 'S3 is away. pgduet tries again until it succeeds.'));
});

it('is given up with its own error when told to stop, and at once after a bug', async () => {
  const stopped = new AbortController();
  const options = { warn: () => undefined, signal: stopped.signal };
  const pause = (): Promise<void> => {
    stopped.abort();
    return Promise.reject(new Error('aborted'));
  };
  await expect(keepTrying(failing(9, new UserError('S3 is away.')), { ...options, pause })).rejects.toThrow(
    'S3 is away.',
  );
  const live = { ...options, signal: new AbortController().signal };
  await expect(keepTrying(failing(1, new TypeError('a bug')), { ...live, pause })).rejects.toThrow('a bug');
});

it.each([
  ['HammerDB: Error: ERROR:  permission denied to create role', 1],
  ["HammerDB: can't find package Pgtcl", 1],
  ['pgbench ended with 1: ERROR:  syntax error at or near "selec"', 1],
  ['pgbench ended with 1: server closed the connection unexpectedly', 3],
  ['HammerDB ended with 3; its last line: Vuser 1:Loading Item', 2],
])('work on a server that fails with "%s" is done %d times', async (message, expected) => {
  let times = 0;
  const running = {
    place: { volumesKind: 'folders', activateOnly: () => Promise.resolve() },
    pause: () => Promise.resolve(),
    report: () => undefined,
  } as unknown as Parameters<typeof withTries>[0];
  const work = () => {
    times += 1;
    return Promise.reject(new PartError(message));
  };
  await expect(withTries(running, 'Loading one', new AbortController().signal, work)).rejects.toThrow(message);
  expect(times).toBe(expected);
});
