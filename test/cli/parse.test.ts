import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolRun } from '../../runner/contract/tool-output.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { commandLine } from '../helpers/processes/command-line.ts';
import { capturedOutput } from '../helpers/samples/captured-output.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'pgduet-parse-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('pgduet parse', () => {
  it('prints the runs of several files as one JSON array', async () => {
    await keep('old.out', capturedOutput('13.4/plain').kept);
    await keep('two.out', capturedOutput('18.6/both-streams').kept);
    const { exitCode, stdout, stderr } = await parse('old.out', 'two.out', '--json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect((JSON.parse(stdout) as ToolRun[]).map(({ complete, tps }) => [complete, tps])).toEqual([
      [true, 1247.400666],
      [true, 1692.739056],
      [true, 13159.786962],
    ]);
  });

  it('tells of a run whose client was aborted, and exits 1: it is no measurement', async () => {
    await keep('aborted.out', capturedOutput('15.18/aborted-client-timed').kept);
    const { exitCode, stdout } = await parse('aborted.out', '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      {
        transactions: 149,
        complete: false,
        problems: [
          'pgbench: error: client 0 script 0 aborted in command 1 query 0: ERROR:  division by zero',
          'pgbench: error: Run was aborted; the above results are incomplete.',
        ],
      },
    ]);
    expect((await parse('aborted.out')).stdout).toContain('division by zero');
  });

  it.each([
    ['is empty', '', 'the file is empty'],
    [
      'is another tool’s',
      'Rate limited reqs/s: Results(nRequests=100)\n',
      'this is the output of BenchBase; pgduet reads',
    ],
  ])('exits 2 and says so when a file %s, and prints the runs of the others', async (_, text, message) => {
    await keep('whole.out', capturedOutput('16.14/plain').stdout);
    await keep('bad.out', text);
    const { exitCode, stdout, stderr } = await parse('bad.out', 'whole.out', '--json');
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject([{ file: 'whole.out', complete: true, tps: 1092.764804 }]);
    expect(stderr).toContain('bad.out: ');
    expect(stderr).toContain(message);
    const alone = await parse('bad.out', '--json');
    expect(alone.exitCode).toBe(2);
    expect(JSON.parse(alone.stdout)).toMatchObject({ error: { code: 'rejected' } });
  });

  it.each([
    ['is truncated', capturedOutput('16.14/plain').stdout.slice(0, -30), 'the summary is cut off before its tps'],
    ['was translated', capturedOutput('by-hand/not-pgbench/translated').stdout, 'in every locale'],
  ])('has a row for a run that %s, names its line, and exits 1', async (_, text, message) => {
    await keep('whole.out', capturedOutput('16.14/plain').stdout + text);
    const { exitCode, stdout } = await parse('whole.out');
    expect(exitCode).toBe(1);
    const lines = stdout.split('\n').filter((line) => line.startsWith('whole.out'));
    expect(lines.map((line) => line.trim().split(/\s+/).at(-1))).toEqual(['yes', 'NO']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(new RegExp(`! whole.out:14, run 2: .*${message}`));
  });

  it('refuses a file that could fill the memory', async () => {
    await keep('large.out', '');
    await truncate(path.join(folder, 'large.out'), 17 * 2 ** 20);
    const { exitCode, stderr } = await parse('large.out');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringMatching(/large\.out .*16 MiB/) as string,
    });
  });

  it('reads thousands of runs in one file in a moment', { timeout: 300_000 }, async () => {
    await keep('many.out', capturedOutput('14.1/plain').kept.repeat(20_000));
    const before = process.cpuUsage();
    const { exitCode, stdout } = await runCommandLine(['parse', 'many.out'], { workingFolder: folder });
    // Of this process alone, whatever else the machine does.
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(40);
    expect(exitCode).toBe(0);
    expect(stdout.split('many.out')).toHaveLength(20_001);
  });

  it.each([
    ['of a version', (digits: string) => `pgbench (${digits}`],
    ['of a version with that of its server', (digits: string) => `pgbench (16.1, server ${digits}`],
    ['of a script', (digits: string) => `SQL script 1: ${digits}`],
    ['of a transaction type', (digits: string) => `transaction type: ${digits}`],
  ])('refuses a title %s that is longer than any, in a moment', async (_, titled) => {
    await keep('long.out', `${titled('1'.repeat(131_072))}\n${capturedOutput('14.1/plain').kept}`);
    const before = process.cpuUsage();
    await runCommandLine(['parse', 'long.out'], { workingFolder: folder });
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1);
  });

  it.each([['--json'], []])(
    'hears within a second that it is interrupted, however many runs there are (%s)',
    { timeout: 300_000 },
    async (...words) => {
      await keep('many.out', capturedOutput('14.1/plain').kept.repeat(20_000));
      const turns = watchTurns();
      const whole = await runCommandLine(['parse', 'many.out', ...words], { workingFolder: folder });
      expect(turns.longestSeconds()).toBeLessThan(1);
      expect(whole.exitCode).toBe(0);
      const interruption = new AbortController();
      setTimeout(() => interruption.abort(new Error('interrupted by SIGINT')), 100);
      const { signal } = interruption;
      const { exitCode, stderr } = await runCommandLine(['parse', 'many.out', ...words], {
        workingFolder: folder,
        signal,
      });
      expect(stderr).toContain('interrupted by SIGINT');
      expect(exitCode).toBe(130);
    },
  );

  it('exits 2 and names a file that is not there', async () => {
    const { exitCode, stderr } = await parse('nowhere.out');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/nowhere\.out cannot be read/);
  });
});

/** Watches how long nothing else has its turn, in seconds of the processor: others may keep this machine busy. */
function watchTurns(): { longestSeconds: () => number } {
  let [before, longest] = [process.cpuUsage(), 0];
  const look = (): void => {
    longest = Math.max(longest, process.cpuUsage(before).user / 1e6);
    before = process.cpuUsage();
  };
  const timer = setInterval(look, 5);
  return {
    longestSeconds() {
      look();
      clearInterval(timer);
      return longest;
    },
  };
}

const keep = (name: string, text: string): Promise<void> => writeFile(path.join(folder, name), text);

function parse(...words: string[]): Promise<{ exitCode: number | null; stdout: string; stderr: string }> {
  return commandLine(['parse', ...words], { cwd: folder, temporary: folder }).ended;
}
