import { beforeEach, describe, expect, it, vi } from 'vitest';
import { showProgress } from '../../runner/report/terminal/progress.ts';
import { TrackedStatus } from '../../runner/experiment/plan/tracked-status.ts';
import { server } from '../helpers/fakes/fake-connect.ts';
import { fakeRun, type FakeRun, type FakeRunOptions } from '../helpers/fakes/fake-run.ts';
import { protocolWords } from '../../runner/report/sections/method.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

/** A run whose every figure is 87654, which no time of day holds, or 65%: the load’s speed, a check that fails, and the error of a failed trial. */
function watched(options: FakeRunOptions = {}): { run: FakeRun; shown: () => string; lines: () => string[] } {
  const written: string[] = [];
  const statuses: string[] = [];
  const write = (text: string): number => written.push(text);
  const run = fakeRun({
    protocol: { blocks: 2, reset: [], repeats: 1, order: 'random', quietMachine: 'required' },
    generator: {
      measure({ server }, { onProgress, folder }) {
        onProgress({ elapsedSeconds: 1, tps: 87654 });
        if (folder.endsWith('-two') && folder.includes('block-02')) {
          return Promise.reject(new Error('pgbench ended with 2: progress: 9.0 s, 87654 tps'));
        }
        const disturbed = server === 'two' && !folder.includes('repeat') ? 0.6543 : 0;
        return Promise.resolve({ measures: { tps: 87_654, 'driver.others': disturbed }, facts: {} });
      },
    },
    ...options,
    onEvent(event) {
      progress.report(event);
      tracked.report(event);
      statuses.push(JSON.stringify(tracked.status()));
      options.onEvent?.(event);
    },
  });
  const { plan } = run.execution;
  const tracked = new TrackedStatus(plan, { now: () => new Date(), metric: 'tps' });
  const statusLine = { show: write, clear: () => undefined };
  const progress = showProgress(plan, 'tps', {
    stderr: { write },
    statusLine,
    errorColumns: 200,
    colour: false,
    verbose: true,
  });
  return { run, shown: () => [...written, ...statuses].join('\n'), lines: () => written };
}

describe('a blind run', () => {
  it('shows no figure in progress, lines of trials, and status, while its files have all of them', async () => {
    const { run, shown, lines } = watched({ blind: true });
    await run.carryOut();
    expect(shown()).not.toMatch(/87[,.]?654|65%/);
    expect(lines()).toContainEqual(expect.stringMatching(/trial 1 of 4 {2}block 1 {2}(one|two) {2}measured\n/));
    expect(lines()).toContainEqual(expect.stringMatching(/^repeating block 1: two: other programs: hidden/));
    expect(lines()).toContainEqual(
      expect.stringMatching(/failed in measure: hidden until the run has ended \(--blind\)/),
    );
    const { trials } = run.stored();
    expect(trials.map(({ figures }) => figures)).toEqual(trials.map(() => 'hidden'));
    expect(trials.filter(({ measures }) => measures['tps'] === 87654).length).toBeGreaterThan(0);
    expect(trials.find(({ state }) => state === 'failed')?.failure?.error).toContain('87654 tps');
    // The same run shows each of them otherwise.
    const open = watched();
    await open.run.carryOut();
    for (const figure of ['87,654 tps', '65%', '87654 tps']) expect(open.shown()).toContain(figure);
    expect(open.run.stored().trials.map(({ figures }) => figures)).toEqual(trials.map(() => 'shown'));
  });

  const calm: FakeRunOptions = {
    protocol: { blocks: 3, reset: [], repeats: 0 },
    generator: { measure: () => Promise.resolve({ measures: { tps: 87654 }, facts: {} }) },
  };

  it('is blind no more from a start without --blind on, and the report says of how many trials', async () => {
    let ended = 0;
    const { run } = watched({
      ...calm,
      blind: true,
      onEvent: ({ kind }) => kind === 'trial-ended' && ++ended === 2 && run.interrupt('interrupted by SIGINT'),
    });
    await run.carryOut();
    const again = watched({ ...calm, folder: run.folder });
    const result = await again.run.carryOut({ earlier: run.stored() });
    const hidden = result?.trials.filter(({ figures }) => figures === 'hidden');
    expect(hidden?.map(({ block }) => block)).toEqual([1, 1]);
    expect(result && new Map(protocolWords(result)).get('Blind')).toBe(
      'throughput and latency of 2 of 6 trials were hidden during the run',
    );
  });

  it('has a block that was cut off as unknown, too: its user could have read its files', async () => {
    const { run } = watched({
      ...calm,
      blind: true,
      generator: {
        measure(_, { folder }) {
          if (folder.includes('block-02-2')) run.interrupt('interrupted by SIGINT');
          return Promise.resolve({ measures: { tps: 87654 }, facts: {} });
        },
      },
    });
    await run.carryOut();
    const again = watched({ ...calm, blind: true, folder: run.folder });
    const result = await again.run.carryOut({ earlier: run.stored() });
    expect(result?.comparisons[0]?.unknownBlocks).toMatchObject([{ block: 2, reason: 'cut-off' }]);
  });
});
