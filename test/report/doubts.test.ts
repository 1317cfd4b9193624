import { describe, expect, it } from 'vitest';
import { checkById } from '../../runner/analysis/validity/registry.ts';
import { byGravity, doubtWords } from '../../runner/report/view/doubts.ts';
import { viewResult } from '../../runner/report/view/view-model.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

describe('doubts', () => {
  it('say what they could change, and the gravest stand first', () => {
    const doubts = byGravity([
      { effect: 'none', sentence: 'A.' },
      { effect: 'size', sentence: 'B.' },
      { effect: 'answer', sentence: 'C.' },
    ]);
    expect(doubts.map(doubtWords)).toEqual([
      'C. This could change the answer itself.',
      'B. This could change the size of the effect.',
      'A.',
    ]);
  });

  it('of checks name the check, which has a remedy', async () => {
    const { result } = await changedSample({}, ({ trials }) => {
      for (const trial of trials) trial.checks = [{ id: 'clock', name: 'clock', state: 'warn', finding: 'set by 2 s' }];
    });
    const found = viewResult(result).doubts.flatMap(({ check }) => check ?? []);
    expect(found).toContain('clock');
    for (const id of found) expect(checkById(id)?.remedy).toBeTruthy();
  });

  it('count the checks beside them', async () => {
    expect(viewResult(await sampleResult()).checked).toMatch(
      /^Of \d+ checks, \d+ passed, \d+ could not be assessed\.$/,
    );
    const { result } = await changedSample({}, ({ trials }) => {
      for (const trial of trials) trial.checks = [{ id: 'clock', name: 'clock', state: 'warn', finding: 'set by 2 s' }];
    });
    expect(viewResult(result).checked).toMatch(/, 1 warned, /);
  });
});
