import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { AwsCallError } from '../../runner/rds/aws/call.ts';
import { stopReason } from '../../runner/contract/stop.ts';
import { presentResult } from '../../runner/cli/actions/present-result.ts';
import type { ExitCode, Io } from '../../runner/cli/io.ts';
import type { Comparison } from '../../runner/contract/comparison.ts';
import type { Result } from '../../runner/contract/result.ts';
import { main } from '../../runner/cli/main.ts';
import { type Declare, verb } from '../../runner/cli/verb.ts';
import { PartError, UserError } from '../../runner/contract/errors.ts';
import { type FailureCode, failureMeanings } from '../../runner/contract/failures.ts';
import { ExperimentProblems } from '../../runner/experiment/file/problems.ts';
import { runFolder } from '../../runner/storage/run-folder.ts';
import { fakeIo } from '../helpers/fakes/fake-io.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

const throttled = Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' });
const denied = Object.assign(new Error('not authorized'), { name: 'AccessDenied' });
const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC', path: '/results' });
const interruption = new AbortController();

/** What the surface promises: scripts and the driver's unit decide by it. */
const endings: [how: string, action: (io: Io) => unknown, exitCode: ExitCode][] = [
  ['all went well', () => undefined, 0],
  ['every planned trial has finished', (io) => present(io, {}), 0],
  ['a look stopped the run', (io) => present(io, { stoppedAfterBlock: 1 }), 0],
  ['its verdict is withheld', (io) => present(io, { verdict: null }), 0],
  ['its verdict is inconclusive', (io) => present(io, { verdict: 'inconclusive' }), 0],
  ['a trial failed for good', (io) => present(io, { complete: false }), 1],
  [
    'it measured in vain and stopped',
    (io) => present(io, { complete: false, stoppedBy: stopReason('measured-in-vain', 'Stopped after block 2.') }),
    1,
  ],
  ['the user can put it right', failing(new UserError('no such thing')), 2],
  ['the disk is full', failing(full), 2],
  ['AWS refuses for good', failing(new AwsCallError('s3:PutObject of it was refused', denied)), 2],
  ['AWS throttles', failing(new AwsCallError('s3:PutObject of it was throttled', throttled)), 3],
  ['a server has ended', failing(new PartError('the server of one ended (SIGKILL)', 'server-ended')), 3],
  ['it is a bug of ours', failing(new TypeError('undefined is not a function')), 70],
  [
    'it was interrupted, whatever breaks because of that',
    () => {
      interruption.abort(new Error('interrupted by SIGINT'));
      throw new TypeError('undefined is not a function');
    },
    130,
  ],
];

it.each(endings)('where %s, the exit code says so', async (_, action, exitCode) => {
  const { io, printed } = fakeIo({ signal: interruption.signal });
  const declare: Declare = (command) =>
    command.action(async () => {
      await action(io);
    });
  await main(['end'], io, [verb('end', '', () => Promise.resolve({ declare }))]);
  expect(printed().exitCode).toBe(exitCode);
});

it.each([
  ['no such command', ['plam'], 2],
  ['an option that is unknown', ['plan', '--fast'], 2],
  ['a question for help', ['--help'], 0],
])('%s has the exit code of commander’s verdict', async (_, words, exitCode) => {
  const { io, printed } = fakeIo({});
  await main(words, io);
  expect(printed().exitCode).toBe(exitCode);
});

async function endedAsJson(action: (io: Io) => unknown, words = ['end', '--json'], signal?: AbortSignal) {
  const { io, printed } = fakeIo(signal && { signal });
  const declare: Declare = (command, own) =>
    command.option('--json').action(async () => {
      await action(own);
    });
  await main(words, io, [verb('end', '', () => Promise.resolve({ declare }))]);
  return printed();
}

const passing = Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect', address: '::1' });
const coded: [code: FailureCode, action: (io: Io) => unknown, words?: string[]][] = [
  ['rejected', failing(new UserError('no such thing'))],
  ['experiment-file', failing(new ExperimentProblems('a.yaml', []))],
  ['disk-full', failing(full)],
  ['connection-lost', failing(passing)],
  ['aws-call', failing(new AwsCallError('s3:PutObject of it was refused', denied))],
  ['server-ended', failing(new PartError('the server of one ended (SIGKILL)', 'server-ended'))],
  ['bug', failing(new TypeError('undefined is not a function'))],
  ['usage', () => undefined, ['end', '--json', '--fast']],
  ['usage', () => undefined, ['ent', '--json']],
];

it.each(coded)('with --json, a command that fails prints the code %s and its remedy', async (code, action, words) => {
  const { stdout, exitCode } = await endedAsJson(action, words);
  const { error } = JSON.parse(stdout) as { error: Record<string, unknown> };
  expect(error).toMatchObject({ code, message: expect.any(String) as string, remedy: failureMeanings[code].remedy });
  expect(error['problems']).toEqual(code === 'experiment-file' ? [] : undefined);
  expect(exitCode).toBeGreaterThan(0);
});

it('with --json, a command that is interrupted prints the code of that', async () => {
  const ended = await endedAsJson(failing(new TypeError()), undefined, AbortSignal.abort(new Error('by SIGINT')));
  expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: 'interrupted', message: 'by SIGINT' } });
});

it('with --json, a command that fails after its result prints no second value', async () => {
  const ended = await endedAsJson((io) => {
    io.stdout.write('{}');
    throw new UserError('too late');
  });
  expect(ended).toMatchObject({ stdout: '{}', exitCode: 2 });
});

it('docs/troubleshooting.md tells every exit code', () => {
  const text = readFileSync(new URL('../../docs/troubleshooting.md', import.meta.url), 'utf8');
  const reported = [...text.matchAll(/^\| (\d+) /gm)].map(([, code]) => Number(code));
  expect(reported).toEqual([...new Set(endings.map(([, , exitCode]) => exitCode))]);
});

function failing(error: Error): () => never {
  return () => {
    throw error;
  };
}

async function present(
  io: Io,
  {
    verdict,
    ...change
  }: Partial<Pick<Result, 'complete' | 'stoppedBy' | 'stoppedAfterBlock'> & Pick<Comparison, 'verdict'>>,
): Promise<void> {
  const folder = temporaryFolder();
  const result = { ...(await sampleResult({ blocks: 1 })), ...change };
  if (verdict !== undefined) result.comparisons = result.comparisons.map((one) => ({ ...one, verdict }));
  await presentResult(result, runFolder(folder, folder), { json: true }, io);
}

it('the reason is said where planned trials have no result, with --quiet, too', async () => {
  const folder = temporaryFolder();
  const { io, printed } = fakeIo({});
  const result = {
    ...(await sampleResult({ blocks: 1 })),
    complete: false,
    stoppedBy: stopReason('limit-reached', 'Stopped by limits.hours: 1.'),
  };
  await presentResult(result, runFolder(folder, folder), { quiet: true }, io);
  expect(printed().stderr).toBe('Exit code 1: planned trials have no result.\n');
});
