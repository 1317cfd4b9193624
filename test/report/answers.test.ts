import { describe, expect, it } from 'vitest';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { crossedSample } from '../helpers/samples/crossed-sample.ts';
import { replicatedRun } from '../helpers/samples/replicated-sample.ts';
import { sampleResult, type SampleOptions } from '../helpers/samples/sample-result.ts';
import type { Answer } from '../../runner/report/answer/statement.ts';
import { tablesOf } from '../helpers/shown/section-tables.ts';
import { reported } from '../../runner/report/reported.ts';

async function answersOf(options: SampleOptions): Promise<Answer[]> {
  return reported(await sampleResult(options)).answers;
}

describe('the answer', () => {
  it('names interval, level, blocks and the practical threshold', async () => {
    const [answer] = await answersOf({});
    expect(answer?.evidence).toMatch(
      /^TPS: interval \d+ to \d+ %, 96\.9 % level, six blocks\. Changes below 5 % were declared too small to matter\.$/,
    );
    expect(answer?.remains).toBe(
      'Another start, with servers made and loaded anew, may differ by more than the blocks of this one; other machines and RDS were not tried.',
    );
  });

  it('counts what the interval repeats: in a crossover pairs of blocks, and otherwise pairs of instances where they are enough', async () => {
    const crossed = reported((await crossedSample({ blocks: 18 })).result);
    expect(crossed.answers[0]?.evidence).toMatch(/ level, nine pairs of blocks\./);
    expect(tablesOf(crossed.result, 'pairs')[0]?.columns[0]?.label).toBe('pair of blocks');
    const replicated = reported((await replicatedRun([1, 1.01, 1, 1.02, 1, 1], { blocks: 4 })).result);
    expect(replicated.answers[0]?.evidence).toMatch(/ level, six pairs of instances\./);
    expect(tablesOf(replicated.result, 'pairs')[0]?.columns[0]?.label).toBe('pair of instances');
    const few = reported((await replicatedRun([1, 1.01, 1], { blocks: 6 })).result);
    expect(few.answers[0]?.evidence).toMatch(/ level, six blocks\./);
  });

  it('says slower of a candidate that is worse', async () => {
    const [answer] = await answersOf({ variants: { base: 1, slow: 0.8 } });
    expect(answer).toMatchObject({ verdict: 'worse', headline: 'In this start, slow is 20 % slower than base.' });
  });

  it('names the bounds within which variants are equivalent', async () => {
    const [answer] = await answersOf({ variants: { base: 1, same: 1 } });
    expect(answer?.headline).toBe('In this start, same and base are equivalent within ±5 %.');
    expect(answer?.evidence).toContain('within ±5 %');
  });

  it.each([
    [['with-log-volume'], 'with-log-volume has no measurement of TPS that counts.'],
    [['without-log-volume'], 'without-log-volume has no measurement of TPS that counts.'],
    [
      ['without-log-volume', 'with-log-volume'],
      'Neither without-log-volume nor with-log-volume has a measurement of TPS that counts.',
    ],
    [[], 'No block has a measurement of TPS that counts on both sides.'],
  ])('names the side without a value: %j', async (without, words) => {
    const { result } = await changedSample({}, ({ trials }) => {
      for (const trial of trials) {
        const { block, conditions } = trial;
        const isWithout =
          without.length > 0
            ? without.includes(conditions.variant)
            : (block % 2 === 0) === (conditions.variant === 'with-log-volume');
        if (isWithout) trial.measures = { ...trial.measures, tps: null };
      }
    });
    const [answer] = reported(result).answers;
    expect(answer?.headline).toMatch(/^There is no answer /);
    expect(answer?.evidence).toContain(words);
  });

  it('says that values have no ratio where the baseline has none above zero', async () => {
    const { result } = await changedSample({}, ({ trials }) => {
      for (const { conditions, measures } of trials) if (conditions.variant === 'without-log-volume') measures.tps = 0;
    });
    expect(reported(result).answers[0]?.evidence).toContain('The values of TPS have no ratio.');
  });

  it.each([
    [
      'latency.p99@slow',
      2,
      /, the p99 latency of slow is 100 % higher for with-log-volume than for without-log-volume\.$/,
    ],
    [
      'latency.withinLimit',
      0.99,
      /, the share of transactions within the latency limit is [\d.]+ points lower for with-log-volume than for /,
    ],
  ])('names %s as one thing of both sides', async (metric, factor, words) => {
    const { result } = await changedSample({}, ({ run, trials }) => {
      const [name, script] = metric.split('@');
      Object.assign(run.experiment.definition.decision, {
        metric: name,
        practicalThreshold: 0.001,
        ...(script && { script }),
      });
      for (const trial of trials) {
        const value = trial.conditions.variant === 'with-log-volume' ? factor : 1;
        trial.measures = { ...trial.measures, [metric]: value };
      }
    });
    expect(reported(result).answers[0]?.headline).toMatch(words);
  });

  it.each([
    [1, 'TPS is the same for with-log-volume and without-log-volume'],
    [1.0003, 'with-log-volume is less than 0.1 % faster than without-log-volume'],
  ])('does not call a change of factor %d 0 %% faster', async (factor, words) => {
    const { result } = await changedSample({ blocks: 2 }, ({ trials }) => {
      for (const { conditions, measures } of trials) {
        measures.tps = conditions.variant === 'with-log-volume' ? 1000 * factor : 1000;
      }
    });
    const { evidence = '', headline = '' } = reported(result).answers[0] ?? {};
    expect(`${headline} ${evidence}`).toContain(words.replace(' is ', ' was '));
  });

  it('says why it is inconclusive', async () => {
    const [answer] = await answersOf({ variants: { base: 1, same: 1 }, decision: { practicalThreshold: 0.001 } });
    expect(answer?.headline).toMatch(
      /^Inconclusive in this start: the measurements do not settle how same compares with base/,
    );
    expect(answer?.evidence).toContain('the interval includes zero');
  });

  it('says how many blocks were measured again, and why: somebody may have brought that about', async () => {
    const { result } = await changedSample({}, ({ trials }) => {
      const disturbed = trials.find(({ block }) => block === 2);
      if (!disturbed) throw new Error('no block 2');
      const outside = 'other programs';
      for (const trial of trials.filter(({ block }) => block === 2)) {
        trials.push({ ...structuredClone(trial), attempt: 2, id: `${trial.id}-repeat-2` });
      }
      disturbed.checks = [
        { id: 'other-programs', name: outside, state: 'fail', finding: 'other programs took 60 %', outside },
      ];
    });
    const [answer] = reported(result).answers;
    expect(answer?.evidence).toMatch(/One of 6 blocks was measured again \(other programs\)\.$/);
    expect((await answersOf({}))[0]?.evidence).not.toContain('measured again');
  });

  it('is given for each candidate', async () => {
    const answers = await answersOf({ variants: { base: 1, quick: 1.2, quicker: 1.4 } });
    expect(answers.map(({ candidate }) => candidate)).toEqual(['quick', 'quicker']);
  });

  it.each([
    [
      'equivalent',
      1,
      0.05,
      /^The control holds in this start: same has the same configuration as base, and the two are equivalent\.$/,
    ],
    [
      'inconclusive',
      1,
      0.001,
      /^The control is inconclusive in this start: .* the measurements do not show that the two come out equal\.$/,
    ],
    ['better', 1.3, 0.05, /^The control fails in this start: same has the same configuration as base, yet same is /],
  ] as const)(
    'tells of a variant that is the baseline once more whether the control holds: %s',
    async (verdict, factor, practicalThreshold, headline) => {
      const options = { variants: { base: 1, same: factor }, decision: { practicalThreshold } };
      const { result } = await changedSample(options, ({ run }) => {
        const { variants } = run.experiment.definition;
        variants['same'] = { ...variants['base'], description: 'once more' } as (typeof variants)[string];
        for (const variant of run.variants) variant.settings = run.variants[0]?.settings ?? {};
      });
      expect(reported(result).answers).toMatchObject([
        { verdict, headline: expect.stringMatching(headline) as string },
      ]);
    },
  );

  it('describes a contrast between two candidates, without verdict', async () => {
    const { result } = await changedSample({ variants: { base: 1, quick: 1.2, quicker: 1.4 } }, ({ run }) => {
      run.experiment.definition.contrasts = [{ baseline: 'quick', candidate: 'quicker' }];
    });
    const view = reported(result);
    expect(view.answers.map(({ headline }) => headline).at(-1)).toMatch(
      /^Also, in this start: quicker was \d+ % faster than quick\.$/,
    );
    expect(tablesOf(result, 'comparison')).toHaveLength(3);
  });

  it('speaks of latency as lower, not as slower', async () => {
    const [answer] = await answersOf({ decision: { metric: 'latency.p99' } });
    expect(answer?.headline).toMatch(
      /^In this start, the p99 latency is \d+ % lower for with-log-volume than for without-log-volume\.$/,
    );
  });

  it('says which check took the verdict away, and what was seen all the same', async () => {
    const { result } = await changedSample({}, ({ run }) => {
      for (const [index, variant] of run.variants.entries()) variant.serverVersion = `16.${14 + index}`;
    });
    const [answer] = reported(result).answers;
    expect(answer?.headline).toMatch(
      /^Nothing can be concluded in this start about with-log-volume against without-log-volume: server version: .*16\.14.*\.$/,
    );
    expect(answer?.evidence).toMatch(
      /^Make both sides alike in this, or declare the difference, and measure again\. What was measured nevertheless: .* 31 % faster/,
    );
  });

  it('says what is missing when nothing was measured', async () => {
    const [silent] = await answersOf({ silent: true });
    expect(silent?.headline).toMatch(/^There is no answer/);
    const { result } = await changedSample({}, ({ trials }) => trials.splice(1));
    const [missing] = reported({ ...result, comparisons: [] }).answers;
    expect(missing?.evidence).toBe('1 of 1 trials finished.');
  });
});
