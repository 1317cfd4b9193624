import { describe, expect, it } from 'vitest';
import type { OpenedResult } from '../../runner/analysis/open-result.ts';
import type { Comparison } from '../../runner/contract/comparison.ts';
import type { Explanation } from '../../runner/contract/explanation.ts';
import { reportOf } from '../../runner/report/report-file.ts';
import { printedWords } from '../helpers/shown/printed-words.ts';
import { sampleRun } from '../helpers/samples/sample-result.ts';
import { reported } from '../../runner/report/reported.ts';

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
      title: 'waits until WAL is written and flushed',
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
    one.primary ? { ...one, verdict, withheld: verdict === 'better' ? [] : ['a reason'] } : one,
  );
  return { result: { ...result, comparisons, explanations: [explanation] }, series };
}

/** What sounds as if the change were known, or its cause. */
const sounds = /Computed in|same side of zero|Where the time|is the whole difference|a transaction takes/;

describe('a result about which nothing is claimed', () => {
  it.each([null, 'descriptive'] as const)(
    'has no other estimates and no causes in any medium, with the verdict %s',
    async (verdict) => {
      const opened = await withVerdict(verdict);
      for (const text of Object.values(await printedWords(opened))) expect(text).not.toMatch(sounds);
      const { answers } = reportOf(reported(opened.result));
      expect(answers).toMatchObject([{ verdict, robustness: null }]);
    },
  );

  it('has both with a verdict', async () => {
    const opened = await withVerdict('better');
    for (const [form, text] of Object.entries(await printedWords(opened))) {
      expect(text).toMatch(/Where the time/);
      if (form !== 'terminal') expect(text).toMatch(/Computed in .* same side of zero/);
    }
    const { answers } = reportOf(reported(opened.result));
    expect(answers[0]?.robustness?.length).toBeGreaterThan(2);
  });
});
