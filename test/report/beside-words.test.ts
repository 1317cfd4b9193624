import { describe, expect, it } from 'vitest';
import { takenByOthers } from '../../runner/analysis/validity/trial/neighbours.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { besideNote } from '../../runner/report/answer/beside-words.ts';

describe('what is said of programs that ran beside a comparison', async () => {
  const [primary] = (await sampleResult()).comparisons.filter((one) => one.primary);
  if (!primary) throw new Error('a sample without an answer');
  const noteWith = (low: number | null, high: number | null): string =>
    besideNote({
      ...primary,
      beside: {
        taken: { baseline: 0.3, candidate: 0.3 },
        programs: [{ name: 'postgres', processors: 0.36 }],
        quiet: { low, high },
        alike: { low: 0.1, high: 0.4 },
        isCondition: true,
      },
    });

  it.each([
    [-0.85, 17.06, null],
    [-0.3, null, null],
    [null, null, null],
    [-0.2, 0.5, 'On a quiet machine, the change lies within −20 to 50 %.'],
    [0.1, 9, 'On a quiet machine, the change lies within 10 to 900 %.'],
    [0.1, null, 'On a quiet machine, the change is at least +10 %, and has no upper bound.'],
  ])('names what holds on a quiet machine, from %d to %d, only if that says something', (low, high, words) => {
    if (words === null) expect(noteWith(low, high)).not.toContain('quiet machine');
    else expect(noteWith(low, high)).toContain(words);
  });

  it('calls a server one that is not of the run, also in the checks', () => {
    expect(noteWith(0.1, 0.4)).toContain('The busiest: postgres (a server that is not of this run) 0.36 processors.');
    const facts = { neighbours: [{ name: 'postgres', processors: 0.36 }] };
    const { finding } = takenByOthers({ measures: { 'driver.others': 0.2 }, facts }, { sharesMachine: true });
    expect(finding).toContain('(postgres (a server that is not of this run) 0.36 processors)');
  });
});
