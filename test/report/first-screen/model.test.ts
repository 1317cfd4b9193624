import { describe, expect, it } from 'vitest';
import { firstScreen } from '../../../runner/report/first-screen/model.ts';
import { reported } from '../../../runner/report/reported.ts';
import { reportedResults } from '../../helpers/samples/reported-results.ts';

describe.each(Object.entries(reportedResults))('the first screen of %s', (_, make) => {
  it('has no colour without a verdict, at most four other rows, and times that add up as printed', async () => {
    const { result } = await make();
    const of = reported(result);
    const { answer, change, others, time, doubts, next } = firstScreen(of);
    const verdicts = new Set(of.result.comparisons.flatMap(({ verdict }) => verdict ?? []));
    for (const { words, verdict } of answer.claims ?? []) {
      expect(verdicts).toContain(verdict);
      expect(answer.headline).toContain(words);
    }
    for (const { look } of change?.rows ?? [])
      if (look === 'better' || look === 'worse') expect(verdicts).toContain(look);
    expect(others.better.length + others.worse.length).toBeLessThanOrEqual(4);
    expect(doubts.length).toBeLessThanOrEqual(3);
    expect(next?.command).toBeTruthy();
    const sum = (side: 'before' | 'after'): number =>
      (time?.rows ?? []).reduce((total, row) => total + Number(row[side].replaceAll(',', '')), 0);
    for (const side of ['before', 'after'] as const) {
      if (time) expect(sum(side)).toBeCloseTo(Number(time.whole[side].replaceAll(',', '')), 6);
    }
  });
});
