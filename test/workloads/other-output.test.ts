import { expect, it } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import { readOutput } from '../../runner/workloads/read-output.ts';
import { capturedOutput } from '../helpers/samples/captured-output.ts';

it.each([
  ['sysbench’s output', 'SQL statistics:\n    queries performed:\n        read:      140\n'],
  ['sysbench’s output', 'Threads started!\n\n[ 10s ] thds: 8 tps: 43.01 qps: 1397.23 lat (ms,95%): 2680.11\n'],
  ['sysbench’s output', 'Threads started!\n[  40s] threads: 64, tps: 7648.49, reads: 76475.41\n'],
  ['sysbench’s output', '\nOLTP test statistics:\n    queries performed:\n'],
  [
    'what pgbench -i prints while it fills its tables',
    'creating tables...\n100000 of 200000 tuples (50%) done (elapsed 0.04 s)\n',
  ],
  [
    'what pgbench -i prints while it fills its tables',
    '200000 of 200000 tuples (100%) of pgbench_accounts done (elapsed 0.04 s)\n',
  ],
  [
    'a log that pgbench -l wrote; pgduet digest reads it',
    '0 199 2241 0 1175850568 995598\n0 200 2465 0 1175850568 998079\n',
  ],
  ['a log that pgbench -l wrote; pgduet digest reads it', '1345828501 5601 1542744 483552416 61 2573\n'],
  ['the output of YCSB', '[OVERALL], RunTime(ms), 10110\n[OVERALL], Throughput(ops/sec), 98.9\n'],
  ['the output of BenchBase', 'Rate limited reqs/s: Results(nRequests=100, ...)\n'],
  ['the output of tpcc-mysql', '<TpmC>\n                 5000.000 TpmC\n'],
  ['the output of go-tpc', '[Summary] NEW_ORDER - Takes(s): 59.9, Count: 100\ntpmC: 100.0\n'],
])('%s is refused as what it is', async (what, text) => {
  await expect(readOutput(text, 'a.log', new AbortController().signal)).rejects.toThrow(UserError);
  await expect(readOutput(text, 'a.log', new AbortController().signal)).rejects.toThrow(`a.log: this is ${what}`);
});

it.each([
  ['utf16le', ''],
  ['utf16le', '\uFEFF'],
] as const)(
  'an output in %s that begins with %j is refused as that, with what makes it readable',
  async (encoding, mark) => {
    const { stdout } = capturedOutput('15.18/plain');
    const bytes = Buffer.from(mark + stdout, encoding);
    for (const one of [bytes, Buffer.from(bytes).swap16()]) {
      const refused = readOutput(one.toString('utf8'), 'a.log', new AbortController().signal);
      await expect(refused).rejects.toThrow('a.log: this is text in UTF-16; convert it first: iconv');
      await expect(refused).rejects.toThrow(UserError);
    }
  },
);

it.each(['2026-11-24T12:00:00.123456789Z ', '2026-11-24 12:00:00,123 '])(
  'an output with %j in front of each line is read',
  async (time) => {
    const { stdout } = capturedOutput('15.18/plain');
    const [run] = await readOutput(stdout.replaceAll(/^/gm, time), 'a.log', new AbortController().signal);
    expect(run).toMatchObject({ complete: true, notes: [`taken off its lines: the prefix "${time}"`] });
  },
);

it('what a tool of ours has printed is read, whatever stands beside it', async () => {
  const { stdout } = capturedOutput('15.18/plain');
  expect(
    await readOutput(
      `creating tables...\n200000 of 200000 tuples (100%) done\n${stdout}`,
      'a',
      new AbortController().signal,
    ),
  ).toMatchObject([{ tool: 'pgbench', complete: true }]);
});
