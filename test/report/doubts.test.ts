import { describe, expect, it } from 'vitest';
import { doubtDefinitions } from '../../runner/analysis/validity/doubts.ts';
import { everyCheck } from '../../runner/analysis/validity/registry.ts';
import { byGravity, doubtWords } from '../../runner/report/view/doubts.ts';
import { viewResult } from '../../runner/report/view/view-model.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

describe('doubts', () => {
  it('say what they could change, and the gravest stand first', () => {
    const doubts = byGravity([
      { id: 'a', effect: 'none', sentence: 'A.' },
      { id: 'b', effect: 'size', sentence: 'B.' },
      { id: 'c', effect: 'answer', sentence: 'C.' },
    ]);
    expect(doubts.map(doubtWords)).toEqual([
      'C. This could change the answer itself.',
      'B. This could change the size of the effect.',
      'A.',
    ]);
  });

  it('have ids, in report.json too, and a remedy for each: of the check that says so, or of their kind', async () => {
    const opened = await changedSample(
      { failedTrial: { block: 2, variant: 'with-log-volume' }, repeatedBlock: { block: 3, factor: 1.2 } },
      ({ run, trials }) => {
        run.warnings = ['Somebody else was there.'];
        for (const trial of trials) {
          trial.warnings = ['The log was cut off.'];
          trial.checks = [...trial.checks, { id: 'clock', name: 'clock', state: 'warn', finding: 'set by 2 s' }];
        }
      },
    );
    const kinds = Object.values(doubtDefinitions);
    const { doubts } = viewResult(opened.result);
    expect(new Set(doubts.map(({ id }) => id))).toEqual(new Set([...kinds.map(({ id }) => id), 'clock', 'blocks']));
    for (const { remedy } of [...kinds, ...everyCheck]) expect(remedy).toMatch(/^[A-Z].*\.$/);
    const ids = [...kinds, ...everyCheck].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
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
