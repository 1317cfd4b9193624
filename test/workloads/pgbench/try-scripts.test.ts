import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../../runner/contract/errors.ts';
import { CommandError } from '../../../runner/process/run-command.ts';
import { secondsToTry } from '../../../runner/workloads/pgbench/durations.ts';
import { requireScriptRan, tryScripts } from '../../../runner/workloads/pgbench/try-scripts.ts';
import { fakePgbench, nowhere } from '../../helpers/processes/fake-pgbench.ts';

const processed = (done: number): string => `number of transactions actually processed: ${done}/2\n`;
const judge =
  (stderr: string, exitCode = 2, stdout = exitCode === 0 ? processed(2) : '') =>
  () =>
    requireScriptRan(
      { exitCode, stdout, stderr },
      { name: 'mix.sql', text: () => '\\set id 1\n\nSELECT *\n  FROM customr;\n' },
      'one',
    );

it('a script that ran is right; of others, the user hears what the server or pgbench says', () => {
  expect(judge('', 0)).not.toThrow();
  const refused = `pgbench (15.14)
pgbench: error: client 0 script 0 aborted in command 1 query 0: ERROR:  relation "customr" does not exist
LINE 1: SELECT * FROM customr;
                      ^
pgbench: error: Run was aborted; the above results are incomplete.
`;
  expect(judge(refused)).toThrow(UserError);
  expect(judge(refused)).toThrow(
    /^The script mix\.sql does not run on one: line 3: ERROR: {2}relation "customr" does not exist\nLINE 1: .*\n +\^$/,
  );
  expect(judge('pgbench: fatal: mix.sql:3: syntax error in command "set"\n', 1)).toThrow(
    'The script mix.sql does not run on one: mix.sql:3: syntax error in command "set"',
  );
});

it('a lost connection is no mistake of the script', () => {
  const lost =
    'pgbench: error: client 0 aborted: connection to server was lost: server closed the connection unexpectedly\n';
  expect(judge(lost)).toThrow(CommandError);
});

it('a parameter that ends sessions is no lost connection', () => {
  const ended = `pgbench: error: client 0 script 0 aborted in command 3 query 0: FATAL:  terminating connection due to idle-in-transaction timeout
server closed the connection unexpectedly
`;
  expect(judge(ended)).toThrow(UserError);
  expect(judge(ended)).toThrow(/terminating connection due to idle-in-transaction timeout/);
  expect(judge(ended.replace('due to idle-in-transaction timeout', 'due to administrator command'))).toThrow(
    CommandError,
  );
});

it('a script of which no transaction succeeded does not run, though pgbench is content', () => {
  const none = judge('', 0, `${processed(0)}number of failed transactions: 2 (100.000%)\n`);
  expect(none).toThrow(UserError);
  expect(none).toThrow(/mix\.sql does not run on one: none .* \(number of failed transactions: 2 \(100\.000%\)\)/);
  expect(judge('', 0, `${processed(1)}number of failed transactions: 1 (50.000%)\n`)).not.toThrow();
});

it('a script that works only once in a session is said to', () => {
  const twice = 'pgbench: error: client 0 script 0 aborted in command 0 query 0: ERROR:  relation "t" already exists\n';
  expect(judge(twice, 2, processed(1))).toThrow(
    'The script mix.sql does not run a second time in the same session on one: line 1: ERROR:  relation "t" already exists',
  );
});

describe('the time for a transaction', () => {
  it('is five minutes, or as long as a trial', () => {
    expect([undefined, 60, 3600, 1e9].map((durationSeconds) => secondsToTry({ durationSeconds }))).toEqual([
      ...[300, 300, 3600, 86_400],
    ]);
  });

  const program = (text: string) => fakePgbench(text, { transactions: 1 });
  const { signal } = new AbortController();

  it('is not waited for longer, and the user hears what to change', async () => {
    const { folder, options } = program('exec sleep 60');
    await expect(tryScripts(nowhere, options, { folder, signal, secondsEach: 0.2 })).rejects.toThrow(
      /^Script mix\.sql did not complete a transaction on one within 0\.2 s\. Shorten .* workload\.durationSeconds/,
    );
  });

  it('of an interruption is not blamed on the script', async () => {
    const { folder, options } = program('exec sleep 60');
    const [stop, reason] = [new AbortController(), new Error('Ctrl-C')];
    setTimeout(() => stop.abort(reason), 100);
    const request = { folder, signal: stop.signal, secondsEach: 60 };
    await expect(tryScripts(nowhere, options, request)).rejects.toBe(reason);
  });

  /** Prints what pgbench does of a script whose transactions take so long with one client, and with all of them. */
  const timed = (alone: string, together: string): string => `echo "$*" >> $(dirname $0)/arguments
echo 'number of transactions actually processed: 2/2'
case "$*" in *--client=1*) ${alone} ;; *) ${together} ;; esac`;
  const latency = (mean: number, deviation: number): string =>
    `echo 'latency average = ${mean}.000 ms'; echo 'latency stddev = ${deviation}.000 ms'`;

  it('is found: of two, that of the faster one, and of long ones, that with all clients at once', async () => {
    const short = program(timed(latency(150, 30), latency(900, 0)));
    expect(await tryScripts(nowhere, short.options, { folder: short.folder, signal })).toEqual({
      script: 'mix.sql',
      seconds: 0.12,
    });
    const { folder, options: long } = program(timed(latency(2500, 100), latency(4800, 300)));
    expect(await tryScripts(nowhere, long, { folder, signal })).toEqual({ script: 'mix.sql', seconds: 4.8 });
    const [first, second, third] = readFileSync(path.join(folder, 'arguments'), 'utf8').trim().split('\n');
    expect(first).toContain('--client=1 --jobs=1 --transactions=1 ');
    expect(second).toContain('--client=2 --jobs=1 --transactions=1 ');
    expect(third).toBeUndefined();
  });

  it('is that of one client alone if it is so long that nobody needs to know more', async () => {
    const { folder, options } = program(timed(latency(60_000, 0), latency(90_000, 0)));
    expect(await tryScripts(nowhere, options, { folder, signal })).toEqual({ script: 'mix.sql', seconds: 60 });
  });

  it('is that of one client alone if all at once fail', async () => {
    const { folder, options } = program(timed(latency(2500, 0), 'exit 2'));
    expect(await tryScripts(nowhere, options, { folder, signal })).toEqual({ script: 'mix.sql', seconds: 2.5 });
  });

  it.each([
    [1, 1],
    [7, 2],
  ])('is for the transactions that a client of a trial has: of %i, %i', async (transactions, tried) => {
    const { folder, options } = program(
      "echo $* > $(dirname $0)/arguments; echo 'number of transactions actually processed: 1/1'",
    );
    await tryScripts(nowhere, { ...options, workload: { ...options.workload, transactions } }, { folder, signal });
    expect(readFileSync(path.join(folder, 'arguments'), 'utf8')).toContain(` --transactions=${tried} `);
  });
});
