import { expect, it } from 'vitest';
import { unknownWords } from '../../runner/analysis/verdict.ts';
import { takenByOthers } from '../../runner/analysis/validity/trial/neighbours.ts';
import type { Comparison, UnknownBlock, Verdict } from '../../runner/contract/comparison.ts';
import type { CarriedOutStep } from '../../runner/contract/result.ts';
import type { Variation } from '../../runner/contract/robustness.ts';
import { keptPrices } from '../../runner/rds/prices/kept-prices.ts';
import { besideNote } from '../../runner/report/answer/beside-words.ts';
import { basisOf, describeChange } from '../../runner/report/answer/change-words.ts';
import { worthSentences } from '../../runner/report/sections/costs.ts';
import { protocolWords } from '../../runner/report/sections/method.ts';
import { viewRobustness } from '../../runner/report/sections/robustness.ts';
import { stepsTable } from '../../runner/report/sections/trials.ts';
import { waitsTable } from '../../runner/report/sections/waits.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { deploy, deployWithCosts } from '../helpers/samples/deployed-sample.ts';
import { sampleResult, type SampleOptions } from '../helpers/samples/sample-result.ts';

const sample = await sampleResult({ variants: { base: 1, fast: 1.3 }, blocks: 8 });
const primary = sample.comparisons.find((one) => one.primary);
const computed = sample.robustness?.[0];
if (!primary || !computed) throw new Error('a sample without an answer');

const withVerdict = (verdict: Verdict | null): Comparison[] =>
  sample.comparisons.map((one) => (one.primary ? { ...one, verdict } : one));

/** Why a run of twelve planned blocks stopped. */
function stopped(until: 'precision' | 'verdict', stoppedAfterBlock?: number, verdict: Verdict | null = 'better') {
  const result = structuredClone({ ...sample, comparisons: withVerdict(verdict) });
  Object.assign(result.experiment.definition.protocol, { until, blocks: 12 });
  return new Map(protocolWords({ ...result, ...(stoppedAfterBlock !== undefined && { stoppedAfterBlock }) })).get(
    'Order',
  );
}

/** @param low of the change on a quiet machine */
function beside(low: number | null, high: number | null): string {
  return besideNote({
    ...(primary as Comparison),
    beside: {
      taken: { baseline: 0.3, candidate: 0.3 },
      programs: [{ name: 'postgres', processors: 0.36 }],
      quiet: { low, high },
      alike: { low: 0.1, high: 0.4 },
      isCondition: true,
    },
  });
}

const planned: Variation = { way: 'planned', change: 0.3, interval: { low: 0.2, high: 0.4, level: 0.99 }, pairs: 8 };
const small: Variation = { ...planned, change: 0.01 };
const during: Variation = { way: 'during-checkpoints', change: 0.28, interval: null, pairs: 5 };
const outlier: Variation = { way: 'without-outlier', change: 0.25, interval: null, pairs: 7, leftOut: '5' };
const leaveOneOut = (...changes: number[]): Variation => ({
  ...{ way: 'leave-one-out', change: 0.25, interval: null, pairs: 7, leftOut: '5' },
  changes,
});
const each = leaveOneOut(0.3, 0.31, 0.3, 0.3, 0.25, 0.3, 0.3, 0.29);

function robust(verdict: Verdict, ...variations: Variation[]): string {
  const result = { ...sample, comparisons: withVerdict(verdict), robustness: [{ ...computed, variations }] };
  return viewRobustness(result as typeof sample)
    .flatMap(({ rows, sentence }) => [...rows.map(({ name, words }) => [name, ...words].join(' | ')), sentence])
    .join('\n');
}

const at = (seconds: number): string => new Date(Date.UTC(2026, 10, 21) + seconds * 1000).toISOString();
const times = { startedAt: at(0), endedAt: at(90) };
const steps: CarriedOutStep[] = [
  {
    step: 'load',
    ...times,
    error: 'no',
    loads: [
      { server: 'one', startedAt: at(0), endedAt: at(30), outcome: 'failed', error: 'lost' },
      { server: 'one', startedAt: at(60), endedAt: at(90), outcome: 'loaded' },
      { server: 'two', startedAt: at(90), endedAt: at(90), outcome: 'loaded-before' },
    ],
  },
  { step: 'touch', ...times, touched: [{ server: 'one', bytes: 1.3e11, seconds: 1000 }] },
  {
    step: 'snapshot',
    ...times,
    snapshot: { name: 'kept', arn: null, source: 'alice-one', deleteCommand: 'aws rds delete-db-snapshot kept' },
  },
];

/** @param on the variants whose server names some events as before */
function waits(...on: string[]): string {
  const waitEvents = { 'IO:WalSync': 'IO:WALSync', 'IPC:BufferIo': 'IPC:BufferIO' };
  const trials = sample.trials.map((trial) =>
    on.includes(trial.conditions.variant) ? { ...trial, facts: { ...trial.facts, waitEvents } } : trial,
  );
  return waitsTable({ ...sample, trials }, new Set(trials.map(({ id }) => id))).notes.join(' ');
}

const worth = async (options: SampleOptions, region?: string): Promise<string> => {
  const { result } = await changedSample(options, (recorded) =>
    deployWithCosts(recorded, {}, ...(region === undefined ? [] : [keptPrices(region)])),
  );
  return worthSentences(result.comparisons, result).join('\n');
};
const variants = (factor: number) => ({ variants: { 'without-log-volume': 1, 'with-log-volume': factor } });

const lost = (block: number, why = 'two failed in measure: the server ended', replica?: number): UnknownBlock => ({
  block,
  reason: 'lost',
  trials: [`block-${block}`],
  why,
  ...(replica !== undefined && { replica }),
});
const noValue: UnknownBlock = { block: 6, reason: 'no-value', trials: [], why: 'two measured no latency.p99' };
const cutOff: UnknownBlock = { block: 4, reason: 'cut-off', trials: [], why: 'two interrupted in measure: SIGINT' };

function multiple(change: number, metric = 'tps'): string {
  const of = { ...(primary as Comparison), metric, change, interval: { low: 98, high: 111, level: 0.96875 } };
  return `${describeChange(of, change, 'was')} (${basisOf(of)})`;
}

/** What no sample result happens to say. */
const words: Record<string, () => string | undefined | Promise<string>> = {
  'a verdict was there early': () => stopped('verdict', 8),
  'a verdict was never there': () => stopped('verdict'),
  'a verdict was there early, and a check took it away': () => stopped('verdict', 8, null),
  'a verdict was there early, and is only a description': () => stopped('verdict', 8, 'descriptive'),
  'the interval was narrow early': () => stopped('precision', 8),
  // That look ends a run at any width.
  'the last block was measured': () => stopped('precision', 12),
  'beside programs, of a change that may be anything': () => beside(-0.85, 17.06),
  'beside programs, of a change without an upper bound that may be negative': () => beside(-0.3, null),
  'beside programs, of a change without bounds': () => beside(null, null),
  'beside programs, of a change that may be zero': () => beside(-0.2, 0.5),
  'beside programs, of a change that is large': () => beside(0.1, 9),
  'beside programs, of a change without an upper bound': () => beside(0.1, null),
  'a server that is not of the run': () =>
    takenByOthers(
      { measures: { 'driver.others': 0.2 }, facts: { neighbours: [{ name: 'postgres', processors: 0.36 }] } },
      { sharesMachine: true },
    ).finding,
  'in other ways, of which one outlier makes two': () => robust('better', planned, outlier, each),
  'in other ways, with fewer blocks': () => robust('better', planned, during, each),
  'in other ways, inconclusive': () => robust('inconclusive', small, leaveOneOut(0.02, -0.01, 0.03)),
  'in other ways, equivalent': () => robust('equivalent', small, leaveOneOut(0.02, -0.01, 0.03)),
  'in other ways, not always equivalent': () => robust('equivalent', small, leaveOneOut(0.02, -0.01, 0.09)),
  'in other ways, not always worse': () => robust('worse', small, leaveOneOut(0.02, -0.01, 0.03)),
  'steps besides the trials': () =>
    stepsTable({ ...sample, steps })
      .rows.map(({ cells }) => cells.join(' | '))
      .join('\n'),
  'waits of two versions': () => waits('base'),
  'waits of one older version': () => waits('base', 'fast'),
  'a lost block': () => unknownWords([lost(3)]),
  'blocks that are unknown for several reasons': () =>
    unknownWords([lost(2, 'it stalled', 1), cutOff, lost(5, 'it stalled', 2)]),
  'a block without a value': () => unknownWords([noValue]),
  'blocks that were lost for one reason': () => unknownWords([2, 5, 6, 9].map((block) => lost(block))),
  'a hundred times as fast': () => multiple(105.24),
  'a hundredth as fast': () => multiple(-0.9906),
  'a hundredth of the latency': () => multiple(-0.9906, 'latency.average'),
  worth: () => worth({}),
  'worth ten times as much': () => worth(variants(10)),
  'worth that only two blocks describe': () => worth({ blocks: 2 }),
  'worth that is not settled': () => worth(variants(1.002)),
  'worth beside a latency that decides': () => worth({ decision: { metric: 'latency.p99' } }),
  'worth without a price in the Region': () => worth({}, 'eu-west-1'),
  'worth of servers on this machine': () => worthSentences(sample.comparisons, sample).join('\n'),
  'worth without recorded prices': async () => {
    const { result } = await changedSample({}, deploy);
    return worthSentences(result.comparisons, result).join('\n');
  },
};

it('what no sample result happens to say is said as it was', async () => {
  const texts: string[] = [];
  for (const [name, say] of Object.entries(words)) texts.push(`===== ${name}\n${(await say())?.trim()}\n`);
  await expect(texts.join('\n')).toMatchFileSnapshot('answers/words.txt');
});
