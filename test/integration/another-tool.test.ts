import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import type { Plan } from '../../runner/contract/plan.ts';
import type { Result } from '../../runner/contract/result.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { fakeIo, runCommandLine } from '../helpers/fakes/fake-io.ts';
import { folderForAll } from '../helpers/own-temporary-folder.ts';
import { onFolders } from '../helpers/processes/tiny-run.ts';

// A new tool needs only this line.
vi.mock(import('../../runner/workloads/every-tool.ts'), async (original) => {
  const { counter } = await import('../helpers/another-tool.ts');
  return { definitions: [...(await original()).definitions, counter] };
});

// Other tests are about what else runs on this machine: these runs look around for a moment only.
vi.mock(import('../../runner/run/time-limit.ts'), async (original) => {
  const actual = await original();
  return { ...actual, pauseSeconds: (seconds, signal) => actual.pauseSeconds(Math.min(0.2, seconds), signal) };
});

const experiment = {
  name: 'counted',
  question: 'Does another tool run?',
  common: { storage: { type: 'local', sizeGib: 1 } },
  variants: { one: {}, two: { engine: { parameters: { synchronous_commit: 'off' } } } },
  baseline: 'one',
  workload: { tool: 'counter', rows: 10, clients: 2, durationSeconds: 60 },
  // Without repeats: other work on this machine must not make a run longer.
  protocol: { blocks: 2, warmUpSeconds: 1, repeats: 0 },
  decision: { metric: 'increments.perMinute' },
  profiles: { local: { workload: { durationSeconds: 1 } } },
};

const folder = folderForAll();
mkdirSync(path.join(folder, 'experiments'));
define(experiment);

function define(content: unknown): void {
  writeFileSync(path.join(folder, 'experiments/counted.yaml'), stringify(content));
}

const run = (...args: string[]): ReturnType<typeof runCommandLine> => runCommandLine(args, { workingFolder: folder });
const loadRun = ['load-run', 'counted', ...onFolders];
const latest = (file: string): string => path.join(folder, 'results/counted/latest', file);

test('another tool is planned with its own words, reset and rules', async () => {
  const plan = JSON.parse((await run('plan', 'counted', '--json')).stdout) as Plan;
  expect(plan.workload).toEqual([['rows', '10']]);
  expect(plan.resetSteps.map(({ step }) => step)).toEqual(['counters-to-zero']);
  define({ ...experiment, workload: { ...experiment.workload, clients: 20 } });
  const refused = await run('plan', 'counted');
  expect(refused).toMatchObject({ exitCode: 2 });
  expect(refused.stderr).toContain('more clients than rows; expected at most 10');
  define(experiment);
});

test('it runs, is interrupted, goes on where it was, and is compared by its own metric', async () => {
  const interruption = new AbortController();
  const { io } = fakeIo();
  const first = await runCommandLine(loadRun, {
    workingFolder: folder,
    signal: interruption.signal,
    // The first block that ends is also the last one of this start.
    statusLine: null,
    stderr: Object.assign(io.stderr, {
      write(text: string) {
        if (text.includes('trial 2 of 4')) interruption.abort(new Error('interrupted by the test'));
        return true;
      },
    }),
  });
  expect(first.exitCode).toBe(130);
  expect(existsSync(latest('result.json'))).toBe(true);

  const second = await run(...loadRun, '--resume');
  expect(second).toMatchObject({ exitCode: 0 });
  expect(second.stderr).toContain('already measured');
  const result = JSON.parse(readFileSync(latest('result.json'), 'utf8')) as Result;
  const finished = result.trials.filter(({ state }: Trial) => state === 'finished');
  expect(finished).toHaveLength(4);
  for (const { measures } of finished) {
    expect(measures['increments.perMinute']).toBeGreaterThan(0);
    expect(Number(measures['increments.0']) + Number(measures['increments.1'])).toBe(measures.transactions);
    // The server's collectors know nothing about the load, and find this.
    expect(measures['wal.bytesPerTransaction']).toBeGreaterThan(0);
  }
  const [primary] = result.comparisons.filter((comparison) => comparison.primary);
  expect(primary).toMatchObject({ metric: 'increments.perMinute', unit: '1/min' });
  // Where other programs were busy, their check takes the verdict away.
  const disturbed = primary?.withheld.some(({ id }) => id === 'other-programs');
  expect(primary?.verdict).toBe(disturbed ? null : 'descriptive');
  expect(primary?.pairs).toHaveLength(2);
});

test('its results are compared and reported like any others', async () => {
  const compared = await run('compare', 'results/counted/latest', 'results/counted/latest');
  expect(compared.stdout).toMatch(/increments per minute/);
  const reported = await run('report', 'results/counted/latest');
  expect(reported).toMatchObject({ exitCode: 0 });
  const html = readFileSync(latest('report.html'), 'utf8').replace(/\s+/g, ' ');
  expect(html).toContain('counter with 10 rows, 2 clients, 1 s per trial');
  expect(html).toContain('Change in increments per minute');
  expect(readFileSync(latest('report.md'), 'utf8')).toMatch(
    /<summary>Increments, by row[^<]*<\/summary>\n\n\| per trial \|.*\n.*\n\| 0: increments \| [\d,]+ \|/,
  );
});

test('its output is read with the column of its own metric', async () => {
  writeFileSync(path.join(folder, 'kept.log'), 'counter 1: 120 increments per minute\n');
  const { stdout } = await run('parse', 'kept.log');
  expect(stdout).toMatch(/increments +complete\n +per minute\n.*\nkept\.log .* 120 +yes\n/);
});
