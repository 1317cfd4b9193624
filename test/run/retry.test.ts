import { expect, it } from 'vitest';
import { PartError, UserError } from '../../runner/contract/errors.ts';
import type { FailureCode } from '../../runner/contract/failures.ts';
import { CommandError } from '../../runner/process/run-command.ts';
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
  expect(reported).toEqual(Array.from({ length: 5 }, () => 'S3 is away. pgduet keeps retrying.'));
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

const running = {
  place: { kind: 'local', volumesKind: 'folders', activateOnly: () => Promise.resolve() },
  pause: () => Promise.resolve(),
  report: () => undefined,
} as unknown as Parameters<typeof withTries>[0];

const progress = (done: number): string => `${done} of 900 tuples (9%) done (elapsed 0.${done} s, remaining 9 s)\n`;
const stopped = 'pgbench: error: query failed: ERROR:  temporary file size exceeds temp_file_limit (64kB)';

it.each([
  [['HammerDB: Error: ERROR:  permission denied to create role'], 1],
  [["HammerDB: can't find package Pgtcl"], 1],
  [['pgbench ended with 1: ERROR:  syntax error at or near "selec"'], 1],
  [['pgbench: error: PQputline failed\nERROR:  could not write: No space left on device'], 1],
  [['pgbench ended with 1: server closed the connection unexpectedly'], 3],
  [['HammerDB ended with 3; its last line: Vuser 1:Loading Item'], 2],
  [['hammerdbcli (pid 71) ended with 1', 'hammerdbcli (pid 72) ended with 1'], 2],
  // Alike, however far they came and wherever they were.
  [
    [
      `/bin/pgbench ended with 1: ${progress(3)}vacuuming...\n${stopped}\nCONTEXT:  COPY a, line 9: "yz"`,
      `/bin/pgbench ended with 1: ${progress(1)}${progress(2)}vacuuming...\n${stopped}`,
    ],
    2,
  ],
])('work on a server that fails with %j is done %d times', async (messages, expected) => {
  let times = 0;
  const work = () => {
    const stderr = messages[times++ % messages.length] ?? '';
    return Promise.reject(new CommandError(['load'], { exitCode: 1, stdout: '', stderr }));
  };
  await expect(withTries(running, 'Loading one', new AbortController().signal, work)).rejects.toThrow(messages.at(-1));
  expect(times).toBe(expected);
});

it.each<[FailureCode[], number]>([
  [['no-answer', 'no-answer'], 2],
  [['connection-lost', 'connection-lost'], 3],
  [['no-answer', 'server-ended'], 3],
])('work that fails with %j is done %d times, whatever our own words say', async (codes, expected) => {
  let times = 0;
  const work = (): Promise<never> => {
    const code = codes[times++ % codes.length] ?? 'other';
    return Promise.reject(new PartError(`permission denied, syntax error: in our words, of try ${times}`, code));
  };
  await expect(withTries(running, 'Loading one', new AbortController().signal, work)).rejects.toThrow('in our words');
  expect(times).toBe(expected);
});
