import { beforeEach, describe, expect, it, vi } from 'vitest';
import { server } from '../helpers/fakes/fake-connect.ts';
import { fakeRun, type FakeRun, type FakeRunOptions } from '../helpers/fakes/fake-run.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

/** A run of blocks in which one variant is now faster, now slower. */
function undecided(protocol: object, more: FakeRunOptions = {}): FakeRun {
  const changes = [1.2, 0.85, 1.05, 1.3, 0.8, 1.1, 0.9, 1.2, 0.85];
  let trials = 0;
  return fakeRun({
    protocol: { blocks: 6, order: 'random', reset: [], until: 'verdict', ...protocol },
    generator: {
      measure({ server: name }) {
        const change = changes[Math.floor(trials++ / 2)] ?? 1;
        return Promise.resolve({ measures: { tps: name === 'one' ? 100 : 100 * change }, facts: {} });
      },
    },
    ...more,
  });
}

const outlooksOf = ({ events }: FakeRun): string[] =>
  events.flatMap((one) => (one.kind === 'outlook' ? [one.text] : []));

describe('a run whose blocks cannot bring an answer any more', () => {
  it('says so once, and goes on, unless it is to stop for futility', async () => {
    const run = undecided({});
    const result = await run.carryOut();
    expect(result).toMatchObject({ complete: true });
    expect(result?.stoppedBy).toBeUndefined();
    expect(outlooksOf(run)).toEqual([
      expect.stringMatching(
        /^An answer is unlikely\. About a \d\d% change can be seen in 6 blocks.*so far the difference is \d%\.$/,
      ),
    ]);
    expect(run.stored().trials).toHaveLength(12);
  });

  it('stops if it is to, complete and without a verdict of better or worse, and says why', async () => {
    const run = undecided({ blocks: 9, stopForFutility: true });
    const result = await run.carryOut();
    expect(result).toMatchObject({ complete: true, stoppedAfterBlock: 6 });
    expect(result?.stoppedBy?.id).toBe('futility');
    expect(result?.stoppedBy?.message).toMatch(
      /^Stopped after block 6, because .* unlikely to give an answer\. About a \d\d% change.* To measure them anyway, set protocol\.stopForFutility: false\.$/,
    );
    expect(result?.warnings[0]).toEqual({ id: 'stopped-early', message: result?.stoppedBy?.message });
    const [primary] = result?.comparisons.filter((one) => one.primary) ?? [];
    expect(primary).toMatchObject({ verdict: 'inconclusive', withheld: [] });
  });

  it('keeps the figures to itself if they are hidden', async () => {
    const run = undecided({}, { blind: true });
    await run.carryOut();
    expect(outlooksOf(run)).toEqual([
      'An answer is unlikely. The figures are hidden until the run has ended (--blind).',
    ]);
  });
});
