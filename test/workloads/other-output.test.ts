import { expect, it } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import { readOutput } from '../../runner/workloads/read-output.ts';
import { capturedOutput } from '../helpers/samples/captured-output.ts';

const read = (text: string) => readOutput(text, 'a.log', new AbortController().signal);

const filling = 'what pgbench -i prints while it fills its tables';
const log = 'a log that pgbench -l wrote; pgduet digest reads it';
it.each([
  ['the output of sysbench 0.4 or 0.5', 'Threads started!\n[  40s] threads: 64, tps: 7648.49, reads: 76475.41\n'],
  ['the output of sysbench 0.4 or 0.5', '\nOLTP test statistics:\n    queries performed:\n'],
  [filling, 'creating tables...\n100000 of 200000 tuples (50%) done (elapsed 0.04 s)\n'],
  [filling, '200000 of 200000 tuples (100%) of pgbench_accounts done (elapsed 0.04 s)\n'],
  [log, '0 199 2241 0 1175850568 995598\n0 200 2465 0 1175850568 998079\n'],
  [log, '1345828501 5601 1542744 483552416 61 2573\n'],
  ['the output of YCSB', '[OVERALL], RunTime(ms), 10110\n[OVERALL], Throughput(ops/sec), 98.9\n'],
  ['the output of BenchBase', 'Rate limited reqs/s: Results(nRequests=100, ...)\n'],
  ['the output of tpcc-mysql', '<TpmC>\n                 5000.000 TpmC\n'],
  ['the output of go-tpc', '[Summary] NEW_ORDER - Takes(s): 59.9, Count: 100\ntpmC: 100.0\n'],
])('%s is refused as what it is', async (what, text) => {
  await expect(read(text)).rejects.toThrow(UserError);
  await expect(read(text)).rejects.toThrow(`a.log: this is ${what}`);
});

it.each(['', '\uFEFF'])('an output in UTF-16 that begins with %j is refused as that, with what to do', async (mark) => {
  const bytes = Buffer.from(mark + capturedOutput('15.18/plain').stdout, 'utf16le');
  for (const one of [bytes, Buffer.from(bytes).swap16()]) {
    await expect(read(one.toString('utf8'))).rejects.toThrow('a.log: this is text in UTF-16; convert it first: iconv');
  }
});

it.each(['2026-11-24T12:00:00.123456789Z ', '2026-11-24 12:00:00,123 '])(
  '%j before each line is taken off',
  async (time) => {
    const [run] = await read(capturedOutput('15.18/plain').stdout.replaceAll(/^/gm, time));
    expect(run).toMatchObject({ complete: true, notes: [`stripped from its lines: the prefix "${time}"`] });
  },
);

it('what a tool of ours has printed is read, whatever stands beside it', async () => {
  const { stdout } = capturedOutput('15.18/plain');
  const text = `creating tables...\n200000 of 200000 tuples (100%) done\n${stdout}`;
  expect(await read(text)).toMatchObject([{ tool: 'pgbench', complete: true }]);
});
