import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distributionsOf } from '../../runner/analysis/distributions.ts';
import type { Distribution } from '../../runner/contract/distribution.ts';
import { shortestOf } from '../../runner/workloads/pgbench/log/latency-classes.ts';
import { changedSample, type RecordedSample } from '../helpers/samples/changed-sample.ts';
import { failedCheck } from '../helpers/samples/measured-trial.ts';

/** Transactions of a trial, by the start of the class of their latency in microseconds. */
type Classes = Record<number, number>;

/** What the sample finds if every trial of a side has these latencies. */
async function found(
  baseline: Classes,
  candidate: Classes,
  change: (recorded: RecordedSample) => void = () => undefined,
): Promise<Distribution | undefined> {
  const { result } = await changedSample({ blocks: 6 }, (recorded) => {
    for (const { id, conditions } of recorded.trials) {
      const classes = conditions.variant === 'without-log-volume' ? baseline : candidate;
      const others = (recorded.rows.get(id) ?? []).filter(({ name }) => !name.startsWith('latency.from.'));
      const own = Object.entries(classes).map(([micros, value]) => ({
        second: 0,
        name: `latency.from.${micros}`,
        value,
      }));
      recorded.rows.set(id, [...others, ...own]);
    }
    change(recorded);
  });
  return result.distributions?.[0];
}

const stalled: Classes = { 4096: 500, 8192: 300, 65536: 200 };
const even: Classes = { 8192: 990, 16384: 10 };

describe('two distributions of latency', () => {
  it('cross where the share of shorter transactions is the same', async () => {
    // Below 8.2 ms: 50% against none; below 16.4 ms: 80% against 99%. The line between meets at 71.7%.
    const one = await found(stalled, even);
    expect(one?.crossing).toEqual({ share: expect.closeTo(0.717, 3) as number, longerBelow: 'with-log-volume' });
    const turned = await found(even, stalled);
    expect(turned?.crossing).toEqual({ share: expect.closeTo(0.717, 3) as number, longerBelow: 'without-log-volume' });
  });

  it('say how much of the time is in transactions as slow as 1% are of the side without them', async () => {
    const { slow } = (await found(stalled, even)) ?? {};
    // The 99th percentile of the other side is in the class that ends at 11.6 ms.
    expect(slow).toMatchObject({ than: 'with-log-volume', fromSeconds: expect.closeTo(0.011585, 6) as number });
    expect(slow?.baseline).toEqual({
      transactions: 0.2,
      time: expect.closeTo((200 * 65536) / (500 * 4096 + 300 * 8192 + 200 * 65536), 9) as number,
    });
    expect(slow?.candidate.transactions).toBeCloseTo(0.01, 9);
  });

  it('do not cross where one is shorter throughout, however many transactions there are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 200, max: 3000 }), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 4 }),
        async (counts, shift) => {
          const classes = (from: number, times: number): Classes =>
            Object.fromEntries(counts.map((count, at) => [shortestOf(20 + at + from), count * times]));
          const one = await found(classes(shift, 1), classes(0, 3));
          expect(one).toMatchObject({ crossing: null, slow: { than: 'with-log-volume' } });
        },
      ),
      { numRuns: 10 },
    );
  });

  it('do not cross by less than could be chance', async () => {
    expect((await found({ 4096: 500, 8192: 500 }, { 4096: 480, 8192: 520 }))?.crossing).toBeNull();
    const nearly = await found({ 4096: 500, 8192: 480, 16384: 20 }, { 4096: 400, 8192: 600 });
    expect(nearly?.crossing).toBeNull();
  });

  it('are unknown where few transactions have a class, a start was left out, or there is no verdict', async () => {
    expect(await found({ 4096: 100 }, { 4096: 1000 })).toBeUndefined();
    expect(await found({}, {})).toBeUndefined();
    const { result, series } = await changedSample({ blocks: 6 }, () => undefined);
    const steady = { cutSeconds: 2, measures: {} };
    expect(await distributionsOf(result.comparisons, result.trials, series)).toHaveLength(1);
    const truncated = result.trials.map((trial) => ({ ...trial, steady }));
    expect(await distributionsOf(result.comparisons, truncated, series)).toEqual([]);
    const failed = await found(stalled, even, ({ trials }) =>
      trials.forEach((trial) => (trial.checks = [failedCheck])),
    );
    expect(failed).toBeUndefined();
  });
});
