import { describe, expect, it } from 'vitest';
import type { Check, CheckState } from '../../../runner/contract/check.ts';
import type { Comparison } from '../../../runner/contract/comparison.ts';
import type { Trial } from '../../../runner/contract/trial.ts';
import { changedSample, primaryOf } from '../../helpers/samples/changed-sample.ts';
import type { SampleOptions } from '../../helpers/samples/sample-result.ts';
import { type FoundCase, keepsFindings } from '../../helpers/shown/findings.ts';

const [baseline, candidate] = ['without-log-volume', 'with-log-volume'];

type Change = (trial: Trial) => void;

async function comparisonOf(options: SampleOptions, change: Change): Promise<Comparison> {
  return primaryOf((await changedSample(options, ({ trials }) => trials.forEach(change))).result);
}

async function checkOf(id: string, options: SampleOptions, change: Change): Promise<Check | undefined> {
  return (await comparisonOf(options, change)).checks.find((one) => one.id === id);
}

/** What the trials are like, and what a check must say of them: its state (undefined: it does not apply), and figures. */
type Case = [about: string, change: Change, state: CheckState | undefined, options?: SampleOptions, figures?: RegExp];

const kept: FoundCase[] = [];

function judges(id: string, cases: readonly Case[]): void {
  for (const [about, change, , options = {}] of cases)
    kept.push({ id, about, judge: () => checkOf(id, options, change) });
  it.each(cases)(`${id}: %s`, async (_, change, state, options = {}, figures = /^/) => {
    const check = await checkOf(id, options, change);
    expect(check?.state).toBe(state);
    expect(check?.finding ?? '').toMatch(figures);
  });
}

const nothing: Change = () => undefined;

describe('the blocks that count', () => {
  const p99 = { decision: { metric: 'latency.p99' } };
  const withoutP99: Change = ({ block, conditions, measures }) => {
    if (block === 4 && conditions.variant === candidate) measures['latency.p99'] = null;
  };
  const oddIn =
    (metric: string): Change =>
    ({ block, conditions, measures }) => {
      if (block === 5 && conditions.variant === candidate) measures[metric] = (measures[metric] ?? 0) * 4;
    };

  // They are those of the metric that decides, not those in which both sides were measured.
  judges('blocks', [
    ['one lacks the metric that decides', withoutP99, 'warn', { ...p99, blocks: 7 }, /^6 of 7 /],
    ['one lacks another metric', withoutP99, 'pass', { blocks: 7 }],
  ]);
  judges('outliers', [
    ['one is odd in the metric that decides', oddIn('latency.p99'), 'warn', { ...p99, blocks: 8 }, /^block 5 \(\d+%\)/],
    ['one is odd in another metric', oddIn('tps'), 'pass', { ...p99, blocks: 8 }],
  ]);

  it('are too few for a verdict if the metric that decides has five', async () => {
    const primary = await comparisonOf({ ...p99, blocks: 6 }, withoutP99);
    expect(primary).toMatchObject({ verdict: 'descriptive', baseline: { n: 5 }, unknownBlocks: [{ block: 4 }] });
    expect(primary.withheld).toMatchObject([
      { id: 'too-few-beside-unknown', message: expect.stringMatching(/ 12 .* 6$/) as string },
    ]);
  });
});

describe('work that one side did not do', () => {
  const losing =
    (share: number, on: string, count: 'transactions.skipped' | 'transactions.failed'): Change =>
    ({ conditions, measures }) => {
      const done = measures['transactions'] ?? 0;
      Object.assign(measures, { 'transactions.skipped': 0, 'transactions.failed': 0 });
      if (conditions.variant === on) measures[count] = (done * share) / (1 - share);
    };
  const latency = { decision: { metric: 'latency.p99' } };

  it.each([
    ['a quarter skipped', 0.25, 'transactions.skipped', latency, 'fail'],
    ['two in a thousand skipped', 0.002, 'transactions.skipped', latency, 'fail'],
    ['one in two thousand failed', 0.0005, 'transactions.failed', latency, 'pass'],
    ['half a percent failed', 0.005, 'transactions.failed', {}, 'pass'],
    ['two percent failed', 0.02, 'transactions.failed', {}, 'fail'],
  ] as const)('takes the verdict away, or not: %s', async (_, share, count, options, state) => {
    for (const on of [baseline, candidate]) {
      const primary = await comparisonOf(options, losing(share, on, count));
      expect(primary.checks.find(({ id }) => id === 'work')?.state).toBe(state);
      expect(primary.verdict).toBe(state === 'fail' ? null : 'better');
    }
  });

  const slow = { decision: { metric: 'latency.p99', script: 'slow' } };
  const within = { decision: { metric: 'latency.withinLimit', script: 'slow', practicalThreshold: 0.001 } };
  /** `slow` is one transaction of a hundred, and the script that decides. */
  const losingOf =
    (script: string, share: number, more: Record<string, number | null> = {}): Change =>
    ({ conditions, measures }) => {
      const done = { slow: 1000, fast: 99_000 }[script] ?? NaN;
      const lost = conditions.variant === candidate ? (done * share) / (1 - share) : 0;
      for (const name of ['slow', 'fast']) {
        measures[`transactions@${name}`] = name === 'slow' ? 1000 : 99_000;
        measures[`transactions.failed@${name}`] = name === script ? lost : 0;
        measures[`latency.p99@${name}`] = measures['latency.p99'] ?? null;
      }
      const run = { transactions: 100_000, 'transactions.failed': lost, 'transactions.skipped': 0 };
      Object.assign(measures, run, more);
    };
  /** With a share within the limit that is lower on the candidate, and what the baseline lost besides. */
  const sharing =
    (skipped: number | null, failed: number): Change =>
    (trial) => {
      losingOf('slow', 0)(trial);
      const [isBaseline, { measures }] = [trial.conditions.variant === baseline, trial];
      measures['latency.withinLimit@slow'] = isBaseline ? 0.999 : 0.995;
      const done = measures['transactions'] ?? 0;
      if (skipped === null) measures['transactions.skipped'] = null;
      if (!isBaseline) return;
      if (skipped !== null) measures['transactions.skipped'] = (done * skipped) / (1 - skipped);
      Object.assign(measures, { 'transactions.failed': done * failed, 'transactions.failed@slow': done * failed });
    };
  judges('work', [
    ['both lost as much', (of) => losing(0.25, of.conditions.variant, 'transactions.skipped')(of), 'pass', latency],
    // However few of the run's transactions are those of the script that decides.
    ['of the script that decides', losingOf('slow', 0.0909), 'fail', slow, / 9\.1% on with-log-volume/],
    ['of another script', losingOf('fast', 0.5), 'pass', slow],
    ['none of the script that decides', losingOf('slow', 0), 'pass', slow],
    ['of nobody knows which', losingOf('slow', 0.5, { 'transactions.failed@slow': null }), 'not-assessed', slow],
    ['of which the tool says nothing', ({ measures }) => void (measures['transactions.failed'] = null), 'not-assessed'],
    ['as much is skipped as would matter to a share', sharing(0.009, 0), 'fail', within],
    ['a tenth of what matters to it is', sharing(0.00009, 0), 'pass', within],
    ['it failed, which the share counts', sharing(0, 0.009), 'pass', within],
    ['there is no rate, and so no word of what was skipped', sharing(null, 0), 'pass', within],
  ]);
});

describe('the ratio of totals beside the typical change', () => {
  const stalls: Change = ({ block, conditions, measures }) => {
    if (block % 5 === 2 && conditions.variant === baseline) measures['tps'] = (measures['tps'] ?? 0) * 0.7;
  };
  judges('totals', [
    ['a few trials of one side stalled', stalls, 'warn', { blocks: 20 }, / 3\d%.* 4\d%/],
    ['none did', nothing, 'pass', { blocks: 20 }],
  ]);

  it('is a metric of its own: TPS, mean of all trials', async () => {
    const { result } = await changedSample({}, () => undefined);
    const total = result.comparisons.find(({ metric }) => metric === 'tps.total');
    const sum = (side: 'baseline' | 'candidate') => total?.pairs.reduce((all, pair) => all + pair[side], 0) ?? NaN;
    expect(total?.change).toBeCloseTo(sum('candidate') / sum('baseline') - 1, 12);
    expect(total).toMatchObject({ primary: false, interval: null, verdict: null, baseline: { n: 6 } });
  });
});

describe('clients that wait for the last transactions of others', () => {
  /** The shares of the trials in which they wait, and how many times as fast the candidate is. */
  const waiting =
    (before: number, after: number, times = 1.1): Change =>
    ({ block, conditions: { variant }, measures }) => {
      const share = variant === candidate ? after : before;
      const tps = 100 * (variant === candidate ? times : 1) * (1 + block / 10_000);
      const turn = 8 / tps;
      const transactions = (tps * 20) / (1 - share);
      Object.assign(measures, { tps, transactions, 'client.turn': turn, 'latency.average': turn * (1 - share) });
    };
  judges('end-of-the-trials', [
    ['the verdict would be another one', waiting(0.12, 0.01), 'fail', {}, / 12%.* 1%.* −2\.2% to −2\.2%/],
    ['the size would be another one', waiting(0.1, 0.02, 2), 'warn', {}, /\+83\.7% to \+83\.7%/],
    ['both sides wait as long', waiting(0.1, 0.1), 'pass'],
    ['hardly any wait', waiting(0.001, 0.005), undefined],
    ['it is a latency that decides', waiting(0.1, 0.02), undefined, { decision: { metric: 'latency.average' } }],
  ]);
});

describe('a client with few transactions in a trial', () => {
  const latency = { decision: { metric: 'latency.average' } };
  /** Trials of 14 s, whose latency varies by so much from block to block. */
  const slow =
    (each: number, spread: number): Change =>
    ({ block, conditions: { variant }, measures }) => {
      const sign = (block % 2 === 0) === (variant === candidate) ? 1 : -1;
      const seconds = { 'latency.average': 5 * (1 + sign * spread), 'load.seconds': 14 };
      Object.assign(measures, { ...seconds, 'load.clients': 8, transactions: 8 * each, tps: (8 * each) / 14 });
    };
  judges('transactions-of-a-client', [
    ['nothing is settled', slow(2, 0.2), 'warn', latency, / 2 .* 3 .* 21 s/],
    ['there is an answer', slow(2, 0.001), 'pass', latency],
    ['it has enough', slow(4, 0.2), undefined, latency],
  ]);
});

describe('a variant that drifts over the blocks', () => {
  const drifting =
    (perBlock: number, ...variants: string[]): Change =>
    ({ block, conditions, measures }) =>
      void (measures['tps'] = 1000 * (variants.includes(conditions.variant) ? perBlock ** (block - 1) : 1));
  const shared = [1000, 1400, 900, 1300, 1000, 1200];
  const apart: Change = ({ block, conditions, measures }) => {
    measures['tps'] = (shared[block - 1] ?? NaN) * (conditions.variant === candidate ? 0.94 ** (block - 1) : 1);
  };
  const still: Change = ({ block, measures }) => void (measures['tps'] = block === 2 ? 0 : 1000);
  const six = { blocks: 6 };
  judges('drift', [
    ['alone', drifting(0.915, candidate), 'warn', six, / 36% \(with-log-volume .* 36%\)/],
    ['only against the other', apart, 'warn', six, / 27%/],
    ['a block has no throughput', still, 'not-assessed', six],
    ['together with the other', drifting(0.9, baseline, candidate), 'pass', six],
    ['by less than matters', drifting(0.999, candidate), 'pass', six],
  ]);
});

describe('checkpoints', () => {
  const without =
    (...trials: [variant: string, block: number][]): Change =>
    ({ block, conditions, measures, facts }) => {
      delete facts.checkpoints;
      const isSpared = trials.some(([variant, of]) => variant === conditions.variant && of === block);
      Object.assign(measures, { 'checkpoints.timed': isSpared ? 0 : 1, 'checkpoints.requested': 0 });
    };
  const logged =
    (before: number, after: number): Change =>
    ({ conditions, measures, facts }) => {
      const seconds = measures['runtime'] ?? 0;
      const half = (seconds * (conditions.variant === candidate ? after : before)) / 2;
      const known = { reason: 'wal', restartpoint: false, buffers: 1, writeSeconds: 1, syncSeconds: 1 };
      facts.checkpoints = [
        // One that began before the trial, and one that was under way at its end.
        { ...known, startedAt: -3, endedAt: half },
        { ...known, startedAt: seconds - half, endedAt: null },
      ];
    };
  const spared = without([candidate, 2], [candidate, 3], [candidate, 6]);
  const readOnly: Change = (of) => {
    spared(of);
    of.measures['wal.bytes'] = 1000;
  };
  const alike = without([candidate, 2], [baseline, 3], [candidate, 6], [baseline, 6]);
  const six = { blocks: 6 };
  judges('checkpoints', [
    ['neither side writes', readOnly, 'pass', six],
    ['one side was spared', spared, 'warn', six, / 100%.* 50%/],
    ['both were spared alike', alike, 'pass', six],
    ['none was', without(), 'pass', six],
    // By the log, how long they were under way.
    ['one side had three times as long', logged(0.9, 0.3), 'warn', six, / 90% .* 30%/],
    ['one side had a little longer', logged(0.9, 0.8), 'pass', six],
  ]);
});

keepsFindings('of-two-variants', kept);
