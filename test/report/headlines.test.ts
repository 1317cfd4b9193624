import { describe, expect, it } from 'vitest';
import type { OpenedResult } from '../../runner/analysis/open-result.ts';
import type { Comparison, Scope, Verdict } from '../../runner/contract/comparison.ts';
import { changedSample, type RecordedSample } from '../helpers/samples/changed-sample.ts';
import { crossOver, deploy } from '../helpers/samples/deployed-sample.ts';
import type { SampleOptions } from '../helpers/samples/sample-result.ts';
import { printedWords } from '../helpers/shown/printed-words.ts';

/** A design that gives a scope, and the words for it. */
interface ScopedDesign {
  scope: Scope | null;
  /** As it stands in the headline. */
  on: string;
  /** What stands under the headline. */
  remains: string;
  blocks: number;
  change: (recorded: RecordedSample) => void;
  /** Changes the result where no experiment file makes this scope by itself. */
  rescope?: true;
}

const designs: ScopedDesign[] = [
  {
    ...{ scope: 'this-machine', on: 'on this machine', blocks: 6 },
    remains: 'It says nothing of other machines, or of RDS.',
    change: () => undefined,
  },
  {
    ...{ scope: 'these-instances', on: 'on these two instances', blocks: 6, change: deploy },
    remains: 'such as their hosts and volumes, looks the same as an effect of the configuration',
  },
  {
    ...{ scope: 'hosts-cancelled', on: 'on these two instances with their hosts cancelled out', blocks: 12 },
    remains: 'one pair of log volumes was tried',
    change(recorded) {
      deploy(recorded);
      crossOver(recorded);
    },
  },
  {
    ...{ scope: 'configurations', on: 'for these configurations', blocks: 6, change: deploy, rescope: true },
    remains: 'It takes the pairs of instances as a sample of what RDS gives',
  },
  {
    ...{ scope: null, on: 'in these runs', blocks: 6, change: deploy, rescope: true },
    remains: 'For a verdict, measure both in one experiment',
  },
];

interface Outcome {
  verdict: Verdict | null;
  options: SampleOptions;
  change?: (recorded: RecordedSample) => void;
  /** N stands for a number, ON for the scope. */
  headline: string;
}

const outcomes: Outcome[] = [
  { verdict: 'better', options: { variants: { a: 1, b: 1.3 } }, headline: 'ON, b is N % faster than a.' },
  { verdict: 'worse', options: { variants: { a: 1, b: 0.8 } }, headline: 'ON, b is N % slower than a.' },
  {
    ...{ verdict: 'equivalent', options: { variants: { a: 1, b: 1 } } },
    headline: 'ON, b and a are equivalent for practical purposes.',
  },
  {
    ...{ verdict: 'inconclusive', options: { variants: { a: 1, b: 1 }, decision: { practicalThreshold: 0.001 } } },
    headline: 'Inconclusive ON: the measurements do not settle how b compares with a.',
  },
  {
    ...{ verdict: 'descriptive', options: { variants: { a: 1, b: 1.3 } } },
    change: ({ run }) => (run.experiment.definition.protocol.order = 'fixed'),
    headline:
      'Descriptive ON, nothing is claimed: the order is always the same, so that what changes within a block looks like an effect of the variant.',
  },
  {
    ...{ verdict: null, options: { variants: { a: 1, b: 1.3 } } },
    change: ({ run }) => run.variants.forEach((variant, index) => (variant.serverVersion = `16.${14 + index}`)),
    headline: 'No verdict ON: b cannot be judged against a, because a check failed.',
  },
];

const cases = designs.flatMap((design) => outcomes.map((outcome) => ({ ...design, ...outcome, design })));

describe.each(cases)('a result of scope $scope with verdict $verdict', ({ design, verdict, headline, ...of }) => {
  it('prints the sentence with its scope in terminal, Markdown and HTML, and under it what remains', async () => {
    const opened = await changedSample({ blocks: design.blocks, ...of.options }, (recorded) => {
      design.change(recorded);
      of.change?.(recorded);
    });
    const shown = design.rescope ? rescoped(opened, design.scope) : opened;
    const primary = shown.result.comparisons.find((one) => one.primary);
    expect(primary).toMatchObject({ scope: design.scope, verdict });
    const sentence = sentenceOf(headline, design.on);
    expect(headline).toContain('ON');
    for (const [form, text] of Object.entries(await printedWords(shown))) {
      expect(text, form).toMatch(sentence);
      expect(text, form).toContain(design.remains);
    }
  });
});

function rescoped({ result, series }: OpenedResult, scope: Comparison['scope']): OpenedResult {
  return { result: { ...result, comparisons: result.comparisons.map((one) => ({ ...one, scope })) }, series };
}

function sentenceOf(headline: string, on: string): RegExp {
  const capital = on.charAt(0).toUpperCase() + on.slice(1);
  const words = headline.replace(/^ON/, capital).replace('ON', on);
  return new RegExp(words.replace(/[.*+?()[\]]/g, '\\$&').replace('N %', '\\d+ %'));
}
