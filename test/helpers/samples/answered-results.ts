import { assembleResult } from '../../../runner/analysis/assemble.ts';
import { stopReason } from '../../../runner/contract/stop.ts';
import type { OpenedResult } from '../../../runner/analysis/open-result.ts';
import type { Scope, Verdict } from '../../../runner/contract/comparison.ts';
import { changedSample, type RecordedSample } from './changed-sample.ts';
import { crossOver, deploy } from './deployed-sample.ts';
import { failedCheck } from './measured-trial.ts';
import { recordReplicas } from './replicated-sample.ts';
import { recordSample, type SampleOptions, seriesInMemory } from './sample-result.ts';

/** A run, and what its answers come to. */
export interface Answered {
  options?: SampleOptions;
  change?: (recorded: RecordedSample) => void;
  /** How the run ended. @default by its plan */
  end?: Parameters<typeof changedSample>[2];
  /** Of each candidate at each level, in their order. */
  verdicts: (Verdict | null)[];
  /** Whose failed check took the first verdict away. @default none */
  withheldBy?: string;
  /** What keeps the first verdict from being settled. @default nothing */
  undecided?: string;
}

export async function answeredResult({ options, change = () => undefined, end }: Answered): Promise<OpenedResult> {
  return changedSample({ variants: two, ...options }, change, end);
}

const two = { a: 1, b: 1.3 };

/** Designs, each with its scope. */
const designs: Record<string, { scope: Scope; blocks: number; record: (options: SampleOptions) => RecordedSample }> = {
  'on this machine': { scope: 'this-machine', blocks: 6, record: recordSample },
  'on two instances': { scope: 'these-instances', blocks: 6, record: deployed },
  'on three pairs of instances': {
    scope: 'these-instances',
    blocks: 6,
    record: (options) => recordReplicas([1, 1.02, 0.98], options),
  },
  'with one crossover': { scope: 'hosts-cancelled', blocks: 12, record: (options) => crossed(options, 1) },
  'with several crossovers': { scope: 'hosts-cancelled', blocks: 18, record: (options) => crossed(options) },
  'on six pairs of instances': {
    scope: 'configurations',
    blocks: 4,
    record: (options) => recordReplicas([1, 1.01, 0.99, 1.02, 0.98, 1], options),
  },
};

function deployed(options: SampleOptions): RecordedSample {
  const recorded = recordSample(options);
  deploy(recorded);
  return recorded;
}

function crossed(options: SampleOptions, exchanges?: number): RecordedSample {
  const recorded = deployed(options);
  crossOver(recorded, exchanges);
  return recorded;
}

const versionsDiffer = ({ run }: RecordedSample): void =>
  run.variants.forEach((variant, index) => (variant.serverVersion = `16.${14 + index}`));
const orderIsFixed = ({ run }: RecordedSample): void => void (run.experiment.definition.protocol.order = 'fixed');
const tiny = { practicalThreshold: 0.001 };

/** One run for each verdict. */
const verdicts: readonly Answered[] = [
  { verdicts: ['better'] },
  { verdicts: ['worse'], options: { variants: { a: 1, b: 0.8 } } },
  { verdicts: ['equivalent'], options: { variants: { a: 1, b: 1 } } },
  { verdicts: ['inconclusive'], options: { variants: { a: 1, b: 1 }, decision: tiny } },
  { verdicts: ['descriptive'], change: orderIsFixed },
  { verdicts: [null], change: versionsDiffer },
];

/** Every verdict with every scope. */
export const scopedResults = Object.entries(designs).flatMap(([design, { scope, blocks, record }]) =>
  verdicts.map(({ options, change, verdicts: [verdict = null] }) => ({
    name: `${verdict ?? 'withheld'} ${design}`,
    scope,
    verdict,
    async open(): Promise<OpenedResult> {
      const recorded = record({ variants: two, blocks, ...options });
      change?.(recorded);
      const { run, trials, rows, endedAt } = recorded;
      const series = seriesInMemory(rows);
      return { result: await assembleResult({ run, steps: [], trials }, { endedAt }, series), series };
    },
  })),
);

/** Nothing that a server did. */
const brokenDriver = { stage: 'measure', error: 'no room on the driver', outside: 'broken-driver' } as const;
const crash = { stage: 'measure', error: 'it crashed' } as const;

/** Makes trials fail. */
const fail =
  (which: (trial: RecordedSample['trials'][number]) => boolean, failure: typeof crash | typeof brokenDriver) =>
  ({ trials }: RecordedSample): void => {
    for (const trial of trials.filter(which)) Object.assign(trial, { state: 'failed', failure, measures: {} });
  };

/** Makes the last variant the first one once more. */
function makeControl({ run }: RecordedSample): void {
  const { variants, baseline } = run.experiment.definition;
  const control = run.variants.at(-1);
  const original = variants[baseline];
  if (!control || !original) throw new Error('a sample without variants');
  variants[control.name] = { ...original, description: 'once more' };
  control.settings = run.variants[0]?.settings ?? {};
}

/** Gives trials one value of a metric for each side. */
const give =
  (metric: string, value: (trial: RecordedSample['trials'][number]) => number | null) =>
  ({ trials }: RecordedSample): void => {
    for (const trial of trials) trial.measures = { ...trial.measures, [metric]: value(trial) };
  };
const isB = ({ conditions }: RecordedSample['trials'][number]): boolean => conditions.variant === 'b';

/** Throughput is missing where this holds. */
const without = (isMissing: (trial: RecordedSample['trials'][number]) => boolean): Answered => ({
  verdicts: ['descriptive'],
  change: ({ trials }) => {
    for (const trial of trials.filter(isMissing)) trial.measures = { ...trial.measures, tps: null };
  },
});

/** The candidate loses most of its work in these blocks. */
const stall =
  (...blocks: number[]) =>
  ({ trials }: RecordedSample): void => {
    for (const { measures } of trials.filter((trial) => isB(trial) && blocks.includes(trial.block)))
      measures['tps'] = 0.2 * (measures['tps'] ?? 0);
  };

/** @param tps of the candidate for each of the baseline */
const twoBlocksOf = (tps: number): Answered => ({
  options: { blocks: 2 },
  verdicts: ['descriptive'],
  change: give('tps', (trial) => (isB(trial) ? 1000 * tps : 1000)),
});

/** @param factor of the candidate */
const decidedBy = (
  metric: string,
  script: string | undefined,
  factor: number,
  verdict: Verdict = 'worse',
): Answered => ({
  verdicts: [verdict],
  change: (recorded) => {
    const decision = { metric, practicalThreshold: 0.001, ...(script !== undefined && { script }) };
    Object.assign(recorded.run.experiment.definition.decision, decision);
    give(script === undefined ? metric : `${metric}@${script}`, (trial) => (isB(trial) ? factor : 1))(recorded);
  },
});

const someAgain = ({ trials }: RecordedSample): void => {
  const second = trials.filter(({ block }) => block === 2);
  trials.push(...second.map((trial) => ({ ...structuredClone(trial), attempt: 2, id: `${trial.id}-repeat-2` })));
  const outside = 'other-programs';
  const check = { id: 'other-programs', name: outside, state: 'fail', finding: 'other programs took 60%', outside };
  if (second[0]) second[0].checks = [check as typeof failedCheck];
};

/** Every candidate at two levels. */
function climb({ run, trials }: RecordedSample): void {
  run.experiment.definition.workload['clients'] = [2, 4];
  const climbed = trials.flatMap((trial) =>
    [2, 4].map((clients) => ({
      ...trial,
      id: `${trial.id}-${clients}`,
      conditions: { ...trial.conditions, clients },
    })),
  );
  trials.splice(0, Infinity, ...climbed);
}

const ends = ({ run }: RecordedSample): void => void (run.experiment.definition.protocol.blocks = 20);

/** What a reader may be told beyond the verdict with its scope. */
export const answeredResults: Record<string, Answered> = {
  'the variants are measured together': {
    change: ({ run }) => (run.experiment.definition.protocol.order = 'together'),
    verdicts: ['descriptive'],
  },
  'the run was interrupted by hand after six of twenty blocks': { change: ends, verdicts: ['descriptive'] },
  'the run was stopped by a limit of the experiment': {
    change: ends,
    end: { stoppedBy: stopReason('limit-reached', 'protocol.limits.minutes: 60 minutes are over') },
    verdicts: ['better'],
  },
  'the run stopped as soon as it was precise enough': {
    change: ends,
    end: { stoppedAfterBlock: 6 },
    verdicts: ['better'],
  },
  'its blocks are too few': { options: { blocks: 5 }, verdicts: ['descriptive'] },
  'its pairs of blocks are too few': {
    options: { blocks: 10 },
    change(recorded) {
      deploy(recorded);
      crossOver(recorded, 1);
    },
    verdicts: ['descriptive'],
  },
  'its pairs of blocks are too few without those of one exchange': {
    options: { blocks: 12 },
    change(recorded) {
      deploy(recorded);
      crossOver(recorded);
    },
    verdicts: ['descriptive'],
  },
  'its blocks are too few for two candidates': {
    options: { variants: { a: 1, b: 1.3, c: 1.5 } },
    verdicts: ['descriptive', 'descriptive'],
  },
  'its blocks are too few for three candidates': {
    options: { variants: { a: 1, b: 1.3, c: 1.5, d: 1.7 }, blocks: 2 },
    verdicts: ['descriptive', 'descriptive', 'descriptive'],
  },
  'a given rate decides TPS': {
    change: ({ run }) => (run.experiment.definition.workload['rate'] = 1000),
    verdicts: ['descriptive'],
  },
  'several things are in its way': {
    options: { blocks: 5 },
    change({ run }) {
      run.experiment.definition.protocol.blocks = 9;
      run.experiment.definition.workload['rate'] = 1000;
    },
    verdicts: ['descriptive'],
  },
  'one side skipped a quarter of its work, and p99 is that of the rest': {
    options: { decision: { metric: 'latency.p99' } },
    change: ({ trials }) =>
      trials
        .filter(isB)
        .forEach(({ measures }) => (measures['transactions.skipped'] = (measures['transactions'] ?? 0) / 3)),
    verdicts: [null],
    withheldBy: 'work',
  },
  'a check of every trial failed': {
    change: ({ trials }) => trials.forEach((trial) => (trial.checks = [failedCheck])),
    verdicts: [null],
    withheldBy: 'clock',
  },
  'its control fails': {
    options: { variants: { a: 1, b: 1.5, control: 1.3 } },
    change: makeControl,
    verdicts: [null, 'better'],
    withheldBy: 'control',
  },
  'its control holds': {
    options: { variants: { a: 1, control: 1 } },
    change: makeControl,
    verdicts: ['equivalent'],
  },
  'its only candidate is a control that differs': {
    options: { variants: { a: 1, control: 1.3 } },
    change: makeControl,
    verdicts: ['better'],
  },
  'its control is not settled': {
    options: { variants: { a: 1, b: 1.5, control: 1 }, decision: { practicalThreshold: 0.005 } },
    change: makeControl,
    verdicts: ['better', 'inconclusive'],
  },
  'its control, compared by shares, is not settled': {
    options: {
      variants: { a: 1, b: 1.5, control: 1 },
      decision: { metric: 'latency.withinLimit', practicalThreshold: 0.001 },
    },
    change(recorded) {
      makeControl(recorded);
      const off = (block: number): number => (block % 2 === 0 ? 1 : -1) * (0.0013 + block * 1e-5);
      give(
        'latency.withinLimit',
        ({ conditions, block }) => 0.99 + (conditions.variant === 'a' ? 0 : off(block)),
      )(recorded);
    },
    verdicts: ['inconclusive', 'inconclusive'],
  },
  'its control has too few blocks to compare the candidate with it': {
    options: { variants: { a: 1, b: 1.5, control: 1 }, blocks: 7 },
    change(recorded) {
      makeControl(recorded);
      fail(({ block, conditions }) => block > 5 && conditions.variant === 'control', brokenDriver)(recorded);
    },
    verdicts: ['inconclusive', 'descriptive'],
    undecided: 'not-against-the-control',
  },
  'the driver failed its last block': {
    options: { blocks: 7 },
    change: (recorded) => {
      const last = recorded.trials.at(-1);
      fail((trial) => trial === last, brokenDriver)(recorded);
    },
    verdicts: ['better'],
  },
  'one of twelve blocks was lost': {
    options: { blocks: 12 },
    change: fail((trial) => trial.block === 12 && isB(trial), crash),
    verdicts: ['better'],
  },
  'one of seven blocks was lost': {
    options: { blocks: 7 },
    change: fail((trial) => trial.block === 7 && isB(trial), crash),
    verdicts: ['descriptive'],
  },
  'it is faster in a typical block, and slower over all of them': {
    options: { variants: { a: 1, b: 1.06 }, blocks: 20 },
    change: stall(4, 12),
    verdicts: ['inconclusive'],
    undecided: 'typical-and-total-disagree',
  },
  'it is faster in a typical block, and over all of them with a large error': {
    options: { variants: { a: 1, b: 1.1 }, blocks: 12 },
    change: stall(4),
    verdicts: ['better'],
  },
  'of three candidates, one is faster only in a typical block, and one is slower over all of them': {
    options: { variants: { a: 1, b: 1.1, c: 1.06, d: 1.1 }, blocks: 20 },
    change: ({ trials }) => {
      const stalled: Record<string, number[]> = { b: [4, 12], c: [4, 12] };
      for (const { block, conditions, measures } of trials)
        if (stalled[conditions.variant]?.includes(block)) measures['tps'] = 0.2 * (measures['tps'] ?? 0);
    },
    verdicts: ['better', 'inconclusive', 'better'],
  },
  'a block was measured again': { change: someAgain, verdicts: ['better'] },
  'the candidate has no value': without(isB),
  'the baseline has no value': without((trial) => !isB(trial)),
  'neither side has a value': without(() => true),
  'no block has both values': without((trial) => (trial.block % 2 === 0) === isB(trial)),
  'the values have no ratio': { change: give('tps', (trial) => (isB(trial) ? 1000 : 0)), verdicts: ['descriptive'] },
  'there is no change at all': twoBlocksOf(1),
  'the change is less than can be shown': twoBlocksOf(1.0003),
  'a latency of one script decides': decidedBy('latency.p99', 'slow', 2),
  'a latency decides': { options: { decision: { metric: 'latency.p99' } }, verdicts: ['better'] },
  'a share decides': decidedBy('latency.withinLimit', undefined, 0.99),
  'a share decides, and hardly changes': decidedBy('latency.withinLimit', undefined, 0.9996, 'equivalent'),
  'nothing was measured': { options: { silent: true }, verdicts: ['descriptive'] },
  'a contrast was asked for': {
    options: { variants: { a: 1, b: 1.2, c: 1.4 }, blocks: 10 },
    change: ({ run }) => (run.experiment.definition.contrasts = [{ baseline: 'b', candidate: 'c' }]),
    verdicts: ['better', 'better'],
  },
  'four candidates, of which one is worse': {
    options: { blocks: 10, variants: { base: 1, slow: 0.7, fast: 1.2, fastest: 1.5, same: 1.001 } },
    verdicts: ['worse', 'better', 'better', 'equivalent'],
  },
  'two candidates, both worse': {
    options: { blocks: 10, variants: { base: 1, slow: 0.8, slowest: 0.5 } },
    verdicts: ['worse', 'worse'],
  },
  'two candidates at two levels, all worse': {
    options: { blocks: 12, variants: { base: 1, slow: 0.5, slower: 0.4 } },
    change: climb,
    verdicts: ['worse', 'worse', 'worse', 'worse'],
  },
  'two candidates at two levels, whose servers ended': {
    options: { blocks: 12, variants: { base: 1, slow: 0.5, slower: 0.4 } },
    change: (recorded) => {
      climb(recorded);
      fail(() => true, crash)(recorded);
    },
    verdicts: ['descriptive', 'descriptive', 'descriptive', 'descriptive'],
  },
  'one candidate at two levels': {
    options: { blocks: 12 },
    change: climb,
    verdicts: ['better', 'better'],
  },
  'two candidates and a control that fails': {
    options: { blocks: 10, variants: { base: 1, fast: 1.6, control: 1.3 } },
    change: makeControl,
    verdicts: [null, 'better'],
    withheldBy: 'control',
  },
};
