import { describe, expect, it } from 'vitest';
import type { OpenedResult } from '../../../runner/analysis/open-result.ts';
import { firstScreen } from '../../../runner/report/first-screen/model.ts';
import type { FirstScreen } from '../../../runner/report/first-screen/model.ts';
import { reported } from '../../../runner/report/reported.ts';
import { changedSample } from '../../helpers/samples/changed-sample.ts';
import { besideOthers, reportedResults } from '../../helpers/samples/reported-results.ts';
import { sampleRun } from '../../helpers/samples/sample-result.ts';

async function screenOf(opened: Promise<OpenedResult> | undefined): Promise<FirstScreen> {
  const { result } = (await opened) ?? {};
  if (!result) throw new Error('no such result');
  return firstScreen(reported(result));
}

describe('what would settle it', () => {
  it('is nothing where there is an answer, or where a control differs', async () => {
    for (const name of ['quick', 'equivalent', 'six variants with a failed control', 'ladder'])
      expect((await screenOf(reportedResults[name]?.())).settle).toBeNull();
  });

  it('is three numbers of blocks with their chances and times', async () => {
    const screen = await screenOf(
      sampleRun({ variants: { base: 1, same: 1.003 }, decision: { practicalThreshold: 0.01 } }),
    );
    expect(screen.answer.verdict).toBe('inconclusive');
    const rows = screen.settle?.rows ?? [];
    expect(rows.map(({ chance }) => chance)).toEqual(['1 in 2', '2 in 3', '5 in 6']);
    expect(rows.map(({ blocks }) => blocks)).toEqual(rows.map(({ blocks }) => blocks).toSorted((a, b) => a - b));
    expect(rows.every(({ time }) => /^\d+ min$|^\d+ h/.test(time))).toBe(true);
  });

  it('is one number, and another way, where no one would measure so many blocks', async () => {
    const { settle, next } = await screenOf(reportedResults['inconclusive']?.());
    expect(settle?.rows).toHaveLength(1);
    expect(settle?.rows[0]?.blocks).toBeGreaterThan(200);
    expect(next?.words).toContain('decision.practicalThreshold');
  });

  it('is the fewest blocks of a verdict after too few, the same again after a failed check, and none for a fixed order', async () => {
    const few = await screenOf(sampleRun({ blocks: 2 }));
    expect(few.settle?.rows).toMatchObject([{ blocks: 6, chance: '' }]);
    const withheld = await screenOf(reportedResults['withheld']?.());
    expect(withheld.settle?.rows).toMatchObject([{ blocks: 6, chance: '' }]);
    const fixed = await screenOf(reportedResults['descriptive']?.());
    expect(fixed.settle?.rows).toEqual([]);
    expect(fixed.next?.words).toContain('protocol.order');
  });
});

describe('what else used the CPUs', () => {
  it('names the programs, in percent that add up to what the headline has', async () => {
    const { takers, answer } = await screenOf(besideOthers());
    const sum = (takers?.rows ?? []).reduce((total, { percent }) => total + percent, 0);
    expect(sum).toBe(takers?.percent);
    expect(takers?.rows.map(({ name }) => name).at(-1)).toBe('others');
    expect(takers?.limit).toBe(15);
    expect(answer.headline).toContain(`${takers?.percent}%`);
  });

  it('is nothing where the verdict stands', async () => {
    expect((await screenOf(reportedResults['quick']?.())).takers).toBeNull();
  });
});

describe('checks that could not be made', () => {
  const checksWith = async (id: string): Promise<string> => {
    const { checks } = await screenOf(
      changedSample({}, ({ run, trials }) => {
        for (const variant of Object.values(run.experiment.definition.variants)) variant.dedicatedLogVolume = false;
        for (const trial of trials)
          trial.checks = [{ id, name: 'this one', state: 'not-assessed', finding: 'nobody looked' }];
      }),
    );
    return `${checks.made} ${checks.unchecked}`;
  };

  it('are named if they bear on the answer, and otherwise not counted', async () => {
    expect(await checksWith('other-programs')).toContain('Not checked: this one (nobody looked).');
    expect(await checksWith('silent-seconds')).not.toMatch(/this one|Not checked/);
  });
});
