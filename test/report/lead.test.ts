import { describe, expect, it } from 'vitest';
import { assembleResult } from '../../runner/analysis/assemble.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { fullRun } from '../helpers/samples/full-sample.ts';
import { recordSample, sampleResult, type SampleOptions, seriesInMemory } from '../helpers/samples/sample-result.ts';
import type { Answer } from '../../runner/report/answer/statement.ts';
import { reported } from '../../runner/report/reported.ts';

/** So many blocks that several candidates get verdicts. */
const blocks = 10;

async function leadOf(options: SampleOptions): Promise<Answer> {
  return reported(await sampleResult({ blocks, ...options })).lead;
}

describe('the answer that leads', () => {
  it('is the only one if there is only one', async () => {
    const { lead, answers } = reported(await sampleResult());
    expect([lead]).toEqual(answers);
  });

  it('has every candidate with its verdict and size, the worst first', async () => {
    const lead = await leadOf({ variants: { base: 1, slow: 0.7, fast: 1.2, fastest: 1.5, same: 1.001 } });
    expect(lead.verdict).toBe('inconclusive');
    expect(lead.headline).toMatch(
      /^In this start, against base: slow \(\d+ % slower\) is worse; same \(.\d\.\d %\) is equivalent; fast \(\d+ % faster\) and fastest \(\d+ % faster\) are better\.$/,
    );
    expect(lead.evidence).toMatch(/^TPS: −[^ ]+ % \(.+ to .+ %\) for slow to \+[^ ]+ % \(.+ to .+ %\) for fastest\.$/);
  });

  it('has the colour of the answers if none contradicts another', async () => {
    expect(await leadOf({ variants: { base: 1, fast: 1.2, fastest: 1.5 } })).toMatchObject({ verdict: 'better' });
    expect(await leadOf({ variants: { base: 1, same: 1, equal: 1.001 } })).toMatchObject({ verdict: 'equivalent' });
    const worse = await leadOf({ variants: { base: 1, slow: 0.8, slowest: 0.5 } });
    expect(worse).toMatchObject({ verdict: 'worse' });
    expect(worse.headline).toMatch(/slowest \(\d+ % slower\) and slow \(\d+ % slower\) are worse/);
  });

  it('says once what no answer can show', async () => {
    const { remains } = await leadOf({ variants: { base: 1, fast: 1.2, fastest: 1.5 } });
    expect(remains.split('Another start').length - 1).toBe(1);
  });

  it('says once why there is no verdict if the reason is the same for all', async () => {
    const lead = await leadOf({ variants: { base: 1, fast: 1.2, fastest: 1.5 }, blocks: 2 });
    expect(lead.headline).toMatch(/^No verdict, only a description for either of the two candidates: .+\.$/);
  });

  it('numbers the candidates without the baseline, in the words of their number', async () => {
    const variants = { base: 1, fast: 1.2, faster: 1.3, fastest: 1.5 };
    const lead = await leadOf({ variants, blocks: 2 });
    expect(lead.headline).toMatch(/^No verdict, only a description for any of the three candidates: .+\.$/);
  });

  it('speaks of levels if they are all that differs', async () => {
    const { lead } = reported((await fullRun([2, 4], blocks)).result);
    expect(lead.headline).toMatch(
      /^On these instances, with-log-volume against without-log-volume: better at both levels \(\d+ % faster\)\.$/,
    );
  });

  it('says of candidates that are worse at every level that they are, and how much', async () => {
    const { run, trials, endedAt } = recordSample({ blocks: 12, variants: { base: 1, slow: 0.5, slower: 0.4 } });
    run.experiment.definition.workload['clients'] = [2, 4];
    const climbed = trials.flatMap((trial) =>
      [2, 4].map((clients) => ({
        ...trial,
        id: `${trial.id}-${clients}`,
        conditions: { ...trial.conditions, clients },
      })),
    );
    const lead = async (all: typeof climbed): Promise<Answer> =>
      reported(await assembleResult({ run, steps: [], trials: all }, { endedAt }, seriesInMemory(new Map()))).lead;
    const found = await lead(climbed);
    expect(found.verdict).toBe('worse');
    expect(found.headline).toMatch(
      /^In this start, against base: slower at both levels \(60 % slower\) and slow at both levels \(50 % slower\) are worse\.$/,
    );
    const failure = { stage: 'measure', error: 'the server ended' } as const;
    const crashed = climbed.map((trial) => ({ ...trial, state: 'failed' as const, failure, measures: {}, facts: {} }));
    const nothing = await lead(crashed);
    expect(nothing.verdict).toBeNull();
    expect(nothing.headline).toMatch(/^Nothing can be concluded for any of the four comparisons: .*the server ended/);
  });

  it('begins with a control that fails', async () => {
    const { result } = await changedSample({ blocks, variants: { base: 1, control: 1.3, fast: 1.6 } }, ({ run }) => {
      const { variants } = run.experiment.definition;
      if (variants['base']) variants['control'] = variants['base'];
      for (const { name, settings } of run.variants)
        if (name === 'base') Object.assign(run.variants[1] ?? {}, { settings });
    });
    const { lead } = reported(result);
    expect(lead.verdict).toBeNull();
    expect(lead.headline).toMatch(
      /^In this start, against base: the control differs: control \(\d+ % faster\); nothing can be concluded about fast/,
    );
  });
});
