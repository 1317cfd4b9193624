import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../runner/contract/comparison.ts';
import { changedSample, type RecordedSample } from '../helpers/samples/changed-sample.ts';
import { crossOver, deploy } from '../helpers/samples/deployed-sample.ts';
import type { SampleOptions } from '../helpers/samples/sample-result.ts';
import { type PrintedForm, printedWords } from '../helpers/shown/printed-words.ts';

interface Withheld {
  because: string;
  options?: SampleOptions;
  change?: (recorded: RecordedSample) => void;
  /** Of each candidate, in their order. */
  verdicts: (Verdict | null)[];
  /** All that stands in the report, in this order. */
  says: RegExp[];
}

const two = { a: 1, b: 1.3 };

const withheld: Withheld[] = [
  {
    because: 'the order is fixed',
    change: ({ run }) => (run.experiment.definition.protocol.order = 'fixed'),
    verdicts: ['descriptive'],
    says: [
      /No verdict in this start, only a description: the order is always the same, so a change within a block looks like an effect of the variant\./,
      /What was measured nevertheless: b was \d+ % faster than a \(six blocks\)\. Another start, with servers made and loaded anew, may differ by more than the blocks of this one; other machines and RDS were not tried\./,
    ],
  },
  {
    because: 'the variants are measured together',
    change: ({ run }) => (run.experiment.definition.protocol.order = 'together'),
    verdicts: ['descriptive'],
    says: [
      /No verdict in this start, only a description: all variants are measured at the same time, so no order is drawn by chance\./,
    ],
  },
  {
    because: 'the run was interrupted by hand after six of twenty blocks',
    change: ({ run }) => (run.experiment.definition.protocol.blocks = 20),
    verdicts: ['descriptive'],
    says: [
      /No verdict in this start, only a description: the run ended after 6 of 20 planned blocks, and not by its plan: stopping when the numbers please makes chance look like an effect \(continue it with --resume\)\./,
      /What was measured nevertheless: b was \d+ % faster than a \(interval \d+ to \d+ %, 96\.9 % level, six blocks\)\./,
    ],
  },
  {
    because: 'its blocks are too few',
    options: { variants: two, blocks: 5 },
    verdicts: ['descriptive'],
    says: [/No verdict in this start, only a description: 5 blocks were compared, but a verdict takes 6\./],
  },
  {
    because: 'its pairs of blocks are too few',
    options: { variants: two, blocks: 10 },
    change(recorded) {
      deploy(recorded);
      crossOver(recorded, 1);
    },
    verdicts: ['descriptive'],
    says: [
      /No verdict on these instances with their hosts cancelled out, assuming that neither host changed in mid-run, only a description: 5 pairs of blocks were compared, but a verdict takes 6\./,
    ],
  },
  {
    because: 'its pairs of blocks are too few without those of one exchange',
    options: { variants: two, blocks: 12 },
    change(recorded) {
      deploy(recorded);
      crossOver(recorded);
    },
    verdicts: ['descriptive'],
    says: [
      /No verdict on these instances with their hosts cancelled out, only a description: without exchange 1, 4 pairs of blocks were compared, but a verdict takes 6\./,
    ],
  },
  {
    because: 'its blocks are too few for two candidates',
    options: { variants: { a: 1, b: 1.3, c: 1.5 } },
    verdicts: ['descriptive', 'descriptive'],
    says: [
      /No verdict in this start, only a description: 6 blocks were compared, but a verdict among 2 comparisons takes 7\./,
      /What was measured nevertheless: b was \d+ % faster than a/,
      /What was measured nevertheless: c was \d+ % faster than a/,
    ],
  },
  {
    because: 'a given rate decides TPS',
    change: ({ run }) => (run.experiment.definition.workload['rate'] = 1000),
    verdicts: ['descriptive'],
    says: [
      /No verdict in this start, only a description: the given rate determines TPS, so TPS cannot show a difference; declare a latency\./,
    ],
  },
  {
    because: 'several things are in its way',
    options: { variants: two, blocks: 5 },
    change({ run }) {
      run.experiment.definition.protocol.blocks = 9;
      run.experiment.definition.workload['rate'] = 1000;
    },
    verdicts: ['descriptive'],
    says: [
      /No verdict in this start, only a description: the given rate determines TPS/,
      /Also, the run ended after 5 of 9 planned blocks.* Also, 5 blocks were compared, but a verdict takes 6\. What was measured nevertheless/,
    ],
  },
  {
    because: 'one side skipped a quarter of its work, and p99 is that of the rest',
    options: { variants: two, decision: { metric: 'latency.p99' } },
    change: ({ trials }) => trials.filter(({ conditions }) => conditions.variant === 'b').forEach(skipAQuarter),
    verdicts: [null],
    says: [
      /Nothing can be concluded in this start about b against a: work: 0 % of the transactions failed or were skipped on a, 25 % on b: what was not done has no latency and no throughput\. Offer no more load than both sides can handle, and measure again\. What was measured nevertheless: the p99 latency was \d+ % lower for b than for a/,
    ],
  },
  {
    because: 'a check of the two variants failed',
    change: ({ run }) => run.variants.forEach((variant, index) => (variant.serverVersion = `16.${14 + index}`)),
    verdicts: [null],
    says: [/Nothing can be concluded in this start about b against a: server version: the server’s version is 16\.14/],
  },
  {
    because: 'its control fails',
    options: { variants: { a: 1, b: 1.5, control: 1.3 } },
    change: makeControl,
    verdicts: [null, 'better'],
    says: [
      /Nothing can be concluded in this start about b against a: control has the same configuration as the baseline, and yet it comes out better than the baseline\./,
      /The control fails in this start: control has the same configuration as a, yet control is \d+ % faster than a\./,
    ],
  },
];

describe.each(withheld)('where $because', ({ options = { variants: two }, change = () => undefined, ...of }) => {
  it('there is no verdict, and terminal, Markdown and HTML say why and for what it would hold', async () => {
    const shown = await changedSample(options, change);
    const primaries = shown.result.comparisons.filter(({ primary }) => primary);
    expect(primaries.map(({ verdict }) => verdict)).toEqual(of.verdicts);
    expectAll(await printedWords(shown), of.says);
  });
});

/** Nothing that a server did. */
const brokenDriver = { stage: 'measure', error: 'no room on the driver', outside: 'broken driver' } as const;

describe('a control that is not settled', () => {
  it('leaves the verdict, and stands under the headline in every form', async () => {
    const options = { variants: { a: 1, b: 1.5, control: 1 }, decision: { practicalThreshold: 0.005 } };
    const shown = await changedSample(options, makeControl);
    const primaries = shown.result.comparisons.filter(({ primary }) => primary);
    expect(primaries.map(({ verdict }) => verdict)).toEqual(['better', 'inconclusive']);
    expect(primaries[0]?.checks).toContainEqual(expect.objectContaining({ name: 'control', state: 'warn' }) as object);
    expectAll(await printedWords(shown), [
      /In this start, b is \d+ % faster than a\. .* Control: control has the same configuration as the baseline, but their equivalence is not settled: it may differ by −\d+\.\d to \+\d+\.\d %\. Another start, with servers made and loaded anew/,
      /The control is inconclusive in this start: control has the same configuration as a, but the measurements do not show that the two come out equal\./,
    ]);
  });

  it('says in points by how much a share may differ', async () => {
    const decision = { metric: 'latency.withinLimit', practicalThreshold: 0.001 } as const;
    const { result } = await changedSample({ variants: { a: 1, b: 1.5, control: 1 }, decision }, (recorded) => {
      makeControl(recorded);
      for (const trial of recorded.trials) {
        const off =
          trial.conditions.variant === 'a' ? 0 : (trial.block % 2 === 0 ? 1 : -1) * (0.0013 + trial.block * 1e-5);
        trial.measures = { ...trial.measures, 'latency.withinLimit': 0.99 + off };
      }
    });
    const primary = result.comparisons.find((comparison) => comparison.primary);
    expect(primary?.checks.find(({ name }) => name === 'control')?.finding).toMatch(
      /^control has the same configuration as the baseline, but their equivalence is not settled: it may differ by −0\.1\d\d to \+0\.1\d\d points$/,
    );
  });

  it('leaves no verdict where it has too few blocks to compare the candidate with it', async () => {
    const shown = await changedSample({ variants: { a: 1, b: 1.5, control: 1 }, blocks: 7 }, (recorded) => {
      makeControl(recorded);
      recorded.trials
        .filter(({ block, conditions }) => block > 5 && conditions.variant === 'control')
        .forEach((trial) => Object.assign(trial, { state: 'failed', failure: brokenDriver, measures: {} }));
    });
    const primaries = shown.result.comparisons.filter(({ primary }) => primary);
    expect(primaries.map(({ verdict }) => verdict)).toEqual(['inconclusive', 'descriptive']);
    expectAll(await printedWords(shown), [
      /Inconclusive in this start: the measurements do not settle how b compares with a\. .* but this does not hold against the control\. Control: against control, which has the configuration of the baseline, too little was measured for an interval\. Control: control has the same configuration as the baseline, but their equivalence is not settled: it has no verdict itself\./,
      /No verdict in this start, only a description: 5 blocks were compared, but a verdict takes 6\./,
    ]);
  });
});

describe('a verdict that stands', () => {
  it.each([
    ['stopped by a limit of the experiment', { stoppedBy: 'protocol.limits.minutes: 60 minutes are over' }],
    ['stopped as soon as it was precise enough', { stoppedAfterBlock: 6 }],
  ])('is that of a run that was %s', async (_, end) => {
    const { result } = await changedSample(
      { variants: two },
      ({ run }) => (run.experiment.definition.protocol.blocks = 20),
      end,
    );
    expect(result.comparisons.find(({ primary }) => primary)).toMatchObject({ verdict: 'better', withheld: [] });
  });

  it('is that of a run whose last block the driver failed: that was no choice', async () => {
    const { result } = await changedSample({ variants: two, blocks: 7 }, ({ trials }) => {
      trials
        .slice(-1)
        .forEach((trial) => Object.assign(trial, { state: 'failed', failure: brokenDriver, measures: {} }));
    });
    expect(result.comparisons.find(({ primary }) => primary)).toMatchObject({ verdict: 'better', withheld: [] });
  });

  it('is that of twelve blocks of which one was lost, and the headline says whose', async () => {
    const lastFailed = (blocks: number) =>
      changedSample({ variants: two, blocks }, ({ trials }) => {
        trials
          .filter((trial) => trial.block === blocks && trial.conditions.variant === 'b')
          .forEach((trial) =>
            Object.assign(trial, { state: 'failed', failure: { stage: 'measure', error: 'it crashed' }, measures: {} }),
          );
      });
    expectAll(await printedWords(await lastFailed(12)), [
      /b is \d+ % faster than a.*; b lost 1 of 12 trials, a lost none of 12 trials\./,
    ]);
    expectAll(await printedWords(await lastFailed(7)), [
      /only a description: block 7 is unknown \(a trial of it was lost: b failed in measure: it crashed\), so the interval has no bound: a verdict then takes 12 blocks, but there are 7; b lost 1 of 7 trials/,
    ]);
  });
});

function skipAQuarter({ measures }: RecordedSample['trials'][number]): void {
  measures['transactions.skipped'] = (measures['transactions'] ?? 0) / 3;
}

/** Makes the last variant the first one once more. */
function makeControl({ run }: RecordedSample): void {
  const { variants, baseline } = run.experiment.definition;
  const of = variants[baseline];
  if (!of) throw new Error('the sample has a baseline');
  variants['control'] = { ...of, description: 'once more' };
  for (const variant of run.variants.slice(-1)) variant.settings = run.variants[0]?.settings ?? {};
}

function expectAll(printed: Record<PrintedForm, string>, says: readonly RegExp[]): void {
  for (const [form, text] of Object.entries(printed)) for (const words of says) expect(text, form).toMatch(words);
}
