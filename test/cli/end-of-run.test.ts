import { describe, expect, it } from 'vitest';
import { presentResult } from '../../runner/cli/actions/present-result.ts';
import { showProgress } from '../../runner/report/terminal/progress.ts';
import { runFolder } from '../../runner/storage/run-folder.ts';
import type { RunEvent } from '../../runner/contract/status.ts';
import { fakeIo, type Printed } from '../helpers/fakes/fake-io.ts';
import { fakeRun, temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { fullRun } from '../helpers/samples/full-sample.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

interface Loudness {
  quiet?: true;
  verbose?: true;
}

async function shownAtEnd(options: Loudness, columns: number, result = sampleResult({ blocks: 8 })): Promise<Printed> {
  const folder = temporaryFolder();
  const { io, printed } = fakeIo({ workingFolder: folder, columns });
  await presentResult(await result, runFolder(folder, folder), options, io);
  return printed();
}

describe('the end of a run', () => {
  const ladder = fullRun([1, 2, 4, 8, 16, 32, 64], 6).then(({ result }) => result);

  it.each([80, 120, Infinity])('has at most 20 lines in %d columns, and says what to do next', async (columns) => {
    for (const result of [undefined, ladder]) {
      const { stdout, stderr } = await shownAtEnd({}, columns, result);
      expect(`${stdout}${stderr}`.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
      expect(stderr).toContain('report.html');
      expect(stderr.trimEnd().split('\n').at(-1)).toMatch(
        / (npx --no-install pgduet plan dlv-pgbench|npx cdk destroy .+)$/,
      );
    }
  });

  it('names a report in S3 by its address', async () => {
    const folder = temporaryFolder();
    const { io, printed } = fakeIo({ workingFolder: folder, columns: Infinity });
    const location = 's3://bucket/prefix/runs/one/';
    await presentResult(await sampleResult(), { ...runFolder(folder, folder), location }, {}, io);
    expect(printed().stderr).toBe(
      `\n\n  Report   ${location}report.html\n  Next     See time and price on RDS: npx --no-install pgduet plan dlv-pgbench\n`,
    );
  });

  it('is the answer alone with --quiet', async () => {
    const { stdout, stderr } = await shownAtEnd({ quiet: true }, 80);
    expect(stdout).toMatch(/^ +with-log-volume[^\n]* 31%/);
    expect(stdout.split('\n').length).toBeLessThan(8);
    expect(stderr).toBe('');
  });

  it('has every table with --verbose', async () => {
    const { stdout } = await shownAtEnd({ verbose: true }, 120, ladder);
    for (const title of ['Wait events', 'Volumes, against their limits', 'Each change follows']) {
      expect(stdout).toContain(title);
    }
  });
});

describe('progress', () => {
  function shownOf(loudness: Loudness): string {
    const written: string[] = [];
    const { plan } = fakeRun().execution;
    const [trial] = plan.steps.flatMap((step) => (step.kind === 'measure' ? step.trials : []));
    if (!trial) throw new Error('a plan without trials');
    const terminal = { stderr: { write: (text: string) => written.push(text) }, statusLine: null };
    const { report } = showProgress(plan, 'tps', { ...terminal, errorColumns: 80, colour: false, ...loudness });
    const events: RunEvent[] = [
      { kind: 'stage-started', trial, stage: 'warm-up' },
      { kind: 'loaded', conditions: { variant: 'small' }, seconds: 59 },
      { kind: 'loaded', conditions: { variant: 'large' }, seconds: 60 },
      { kind: 'warning', text: 'other programs run here' },
    ];
    for (const event of events) report(event);
    return written.join('');
  }

  it('without a terminal is a line for each database that took long to load, and warnings', () => {
    expect(shownOf({})).toBe('loaded large in 1 min\nwarning: other programs run here\n');
  });

  it('is only warnings with --quiet', () => {
    expect(shownOf({ quiet: true })).toBe('warning: other programs run here\n');
  });

  it('has each stage and its time with --verbose', () => {
    expect(shownOf({ verbose: true })).toMatch(
      /^ +0 s {2}trial 1 of \d+ {2}\w+ {2}warm-up \.\.\.\n +0 s {2}loaded small in 59 s\nloaded large /,
    );
  });
});
