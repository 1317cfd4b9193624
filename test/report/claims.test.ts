import { describe, expect, it } from 'vitest';
import type { OpenedResult } from '../../runner/analysis/open-result.ts';
import { reason } from '../../runner/contract/withheld.ts';
import type { Comparison } from '../../runner/contract/comparison.ts';
import type { Explanation } from '../../runner/contract/explanation.ts';
import { firstScreen } from '../../runner/report/first-screen/model.ts';
import { reportOf } from '../../runner/report/report-file.ts';
import { sampleRun } from '../helpers/samples/sample-result.ts';
import { type Reported, reported } from '../../runner/report/reported.ts';
import { sections } from '../../runner/report/sections/registry.ts';
import { drawnIn } from '../../runner/report/sections/section.ts';

const interval = { low: -0.0103, high: -0.0088, level: 0.96875 };

/** All time of a transaction in one kind. */
const explanation: Explanation = {
  baseline: 'without-log-volume',
  candidate: 'with-log-volume',
  conditions: {},
  slower: 'without-log-volume',
  pairs: 6,
  time: [
    {
      kind: 'walFlush',
      title: 'waits for WAL write and flush',
      baseline: 0.0163,
      candidate: 0.0067,
      change: -0.0096,
      interval,
      share: 1,
    },
  ],
  mechanisms: [],
};

/** An explained result whose verdict was replaced after everything had been computed, as `--unverified` does it. */
async function withVerdict(verdict: Comparison['verdict']): Promise<OpenedResult> {
  const { result, series } = await sampleRun();
  const comparisons = result.comparisons.map((one) =>
    one.primary ? { ...one, verdict, withheld: verdict === 'better' ? [] : [reason('ended-early', 'a reason')] } : one,
  );
  return { result: { ...result, comparisons, explanations: [explanation] }, series };
}

/** The sections that speak as if the change or its cause were known, of those that have something to show. */
function claiming(of: Reported): string[] {
  const drawn = (['terminal', 'page'] as const).flatMap((medium) => drawnIn(medium, sections, of));
  const shown = drawn.filter((section) => section.drawn.length > 0).map(({ id }) => id);
  return ['why', 'why-in-figures', 'robustness'].filter((id) => shown.includes(id));
}

describe('a result about which nothing is claimed', () => {
  it.each([
    [null, []],
    ['descriptive', []],
    ['better', ['why', 'why-in-figures', 'robustness']],
  ] as const)('with the verdict %s has these other estimates and causes: %j', async (verdict, claims) => {
    const of = reported((await withVerdict(verdict)).result);
    expect(claiming(of)).toEqual(claims);
    expect(firstScreen(of).time === null).toBe(claims.length === 0);
    const [answer] = reportOf(of).answers;
    expect(answer).toMatchObject({ verdict });
    expect(answer?.robustness === null).toBe(claims.length === 0);
  });
});
