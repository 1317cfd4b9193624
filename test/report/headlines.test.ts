import { describe, expect, it } from 'vitest';
import { assembleResult } from '../../runner/analysis/assemble.ts';
import type { OpenedResult } from '../../runner/analysis/open-result.ts';
import type { Scope, Verdict } from '../../runner/contract/comparison.ts';
import type { RecordedSample } from '../helpers/samples/changed-sample.ts';
import { crossOver, deploy } from '../helpers/samples/deployed-sample.ts';
import { recordReplicas } from '../helpers/samples/replicated-sample.ts';
import { recordSample, type SampleOptions, seriesInMemory } from '../helpers/samples/sample-result.ts';
import { printedWords } from '../helpers/shown/printed-words.ts';

/** A design that gives a scope, and the words for it. */
interface ScopedDesign {
  scope: Scope | null;
  /** As it stands in the headline. */
  on: string;
  /** What stands under the headline. */
  remains: string;
  blocks: number;
  record: (options: SampleOptions) => RecordedSample;
  /** Takes the scope away: a report of raw outputs is only printed by `compare`, but the words are the same. */
  unknown?: true;
}

function deployed(options: SampleOptions): RecordedSample {
  const recorded = recordSample(options);
  deploy(recorded);
  return recorded;
}

const designs: ScopedDesign[] = [
  {
    scope: 'this-machine',
    on: 'in this start',
    blocks: 6,
    record: recordSample,
    remains: 'Another start, with servers made and loaded anew, may differ by more than the blocks of this one',
  },
  {
    scope: 'these-instances',
    on: 'on these instances',
    blocks: 6,
    record: deployed,
    remains: 'such as their hosts and volumes, cannot be told apart from an effect of the configuration',
  },
  {
    scope: 'these-instances',
    on: 'on these three pairs of instances',
    blocks: 6,
    remains: 'So few pairs are no sample of what RDS provides',
    record: (options) => recordReplicas([1, 1.02, 0.98], options),
  },
  {
    scope: 'hosts-cancelled',
    on: 'on these instances with their hosts cancelled out, assuming that neither host changed in mid-run',
    blocks: 12,
    remains: 'only one pair of log volumes was tried',
    record(options) {
      const recorded = deployed(options);
      crossOver(recorded, 1);
      return recorded;
    },
  },
  {
    scope: 'hosts-cancelled',
    on: 'on these instances with their hosts cancelled out',
    blocks: 18,
    remains: 'A host may have changed once in mid-run',
    record(options) {
      const recorded = deployed(options);
      crossOver(recorded);
      return recorded;
    },
  },
  {
    scope: 'configurations',
    on: 'for these configurations',
    blocks: 4,
    remains: 'This treats the pairs of instances as a sample of what RDS provides',
    record: (options) => recordReplicas([1, 1.01, 0.99, 1.02, 0.98, 1], options),
  },
  {
    scope: null,
    on: 'in these runs',
    blocks: 6,
    record: deployed,
    unknown: true,
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
    verdict: 'equivalent',
    options: { variants: { a: 1, b: 1 } },
    headline: 'ON, b and a are equivalent within ±5 %.',
  },
  {
    verdict: 'inconclusive',
    options: { variants: { a: 1, b: 1 }, decision: { practicalThreshold: 0.001 } },
    headline: 'Inconclusive ON: the measurements do not settle how b compares with a.',
  },
  {
    verdict: 'descriptive',
    options: { variants: { a: 1, b: 1.3 } },
    change: ({ run }) => (run.experiment.definition.protocol.order = 'fixed'),
    headline:
      'No verdict ON, only a description: the order is always the same, so a change within a block looks like an effect of the variant.',
  },
  {
    verdict: null,
    options: { variants: { a: 1, b: 1.3 } },
    change: ({ run }) => run.variants.forEach((variant, index) => (variant.serverVersion = `16.${14 + index}`)),
    headline: 'Nothing can be concluded ON about b against a: server version: the server’s version is 16.14 and 16.15',
  },
];

const cases = designs.flatMap((design) =>
  outcomes.map((outcome) => ({ on: design.on, verdict: outcome.verdict, design, outcome })),
);

describe.each(cases)('a result $on with verdict $verdict', ({ design, outcome }) => {
  it('prints the sentence with its scope in terminal, Markdown and HTML, and under it what remains', async () => {
    const recorded = design.record({ blocks: design.blocks, ...outcome.options });
    outcome.change?.(recorded);
    const opened = await assembled(recorded);
    const shown = design.unknown ? withoutScope(opened) : opened;
    const primary = shown.result.comparisons.find((one) => one.primary);
    expect(primary).toMatchObject({ scope: design.scope, verdict: outcome.verdict });
    const sentence = sentenceOf(outcome.headline, design.on);
    expect(outcome.headline).toContain('ON');
    for (const [form, text] of Object.entries(await printedWords(shown))) {
      expect(text, form).toMatch(sentence);
      expect(text, form).toContain(design.remains);
    }
  });
});

async function assembled({ run, trials, rows, endedAt }: RecordedSample): Promise<OpenedResult> {
  const series = seriesInMemory(rows);
  return { result: await assembleResult({ run, steps: [], trials }, { endedAt }, series), series };
}

function withoutScope({ result, series }: OpenedResult): OpenedResult {
  return { result: { ...result, comparisons: result.comparisons.map((one) => ({ ...one, scope: null })) }, series };
}

function sentenceOf(headline: string, on: string): RegExp {
  const capital = on.charAt(0).toUpperCase() + on.slice(1);
  const words = headline.replace(/^ON/, capital).replace('ON', on);
  return new RegExp(words.replace(/[.*+?()[\]]/g, '\\$&').replace('N %', '\\d+ %'));
}
