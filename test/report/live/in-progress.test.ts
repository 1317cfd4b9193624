import { describe, expect, it } from 'vitest';
import { firstScreen } from '../../../runner/report/first-screen/model.ts';
import { renderPage } from '../../../runner/report/html/page.ts';
import { reportedUnderWay } from '../../../runner/report/live/in-progress.ts';
import { sampleRun } from '../../helpers/samples/sample-result.ts';

describe('the report of a run that is under way', () => {
  it('shows figures of trials, and no verdict, not even where the whole result has one', async () => {
    const { result, series } = await sampleRun();
    expect(result.comparisons.some(({ verdict }) => verdict === 'better')).toBe(true);
    const of = reportedUnderWay(result, 12);
    expect(of.lead).toMatchObject({
      verdict: null,
      headline: 'No verdict until the planned 6 blocks are measured.',
    });
    expect(of.lead.evidence).toContain('12 of 12 planned trials have finished');
    const screen = firstScreen(of);
    expect(`${screen.answer.headline}.`).toBe(of.lead.headline);
    expect([screen.settle, screen.takers, screen.next]).toEqual([null, null, null]);
    expect(of.result.comparisons.flatMap(({ verdict }) => verdict ?? [])).toEqual([]);
    const page = await renderPage(of, series);
    expect(page.match(/% (faster|slower)|\bis better|\bis worse|never begun|an unknown end/g) ?? []).toEqual([]);
    expect(page.split('<figure').length - 1).toBeGreaterThan(3);
    expect(page).toMatch(/<td class="left" [^>]*>finished<\/td>/);
    expect(page).toMatch(/<details open>\s*<summary>\s*<h2 id="trials-title">Trials<\/h2>/);
    // Nothing was withheld, and nobody repeats what has not ended.
    expect(page.match(/withheld|load-run|Reproduce this run/g) ?? []).toEqual([]);
  });

  it('compares nothing before a block is complete, and still shows the trial', async () => {
    const { result, series } = await sampleRun();
    const first = result.trials.slice(0, 1);
    const comparisons = result.comparisons.map((one) => ({ ...one, change: null, pairs: [], trials: [] }));
    const of = reportedUnderWay({ ...result, trials: first, comparisons }, 12);
    expect(of.lead.evidence).toBe(
      'The run is in progress: 1 of 12 planned trials has finished. No block is complete yet, so nothing is compared.',
    );
    const page = await renderPage(of, series);
    expect(page).not.toContain('interval');
    expect(page).toMatch(/<td class="left" [^>]*>finished<\/td>/);
  });

  it('explains nothing and bends no ladder, since both need verdicts', async () => {
    const { result } = await sampleRun();
    expect(reportedUnderWay(result, 12).result).toMatchObject({ explanations: [], ladders: [] });
  });

  it('names one block in the singular', async () => {
    const { result } = await sampleRun({ blocks: 1, trialSeconds: 2 });
    expect(reportedUnderWay(result, 2).lead.headline).toBe('No verdict until the planned block is measured.');
  });
});
