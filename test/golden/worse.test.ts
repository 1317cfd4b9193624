import { expect, it } from 'vitest';
import type { Result } from '../../runner/contract/result.ts';
import type { Distribution } from '../../runner/contract/distribution.ts';
import { worseIn, worseSentences } from '../../runner/report/sections/worse.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { failedCheck } from '../helpers/samples/measured-trial.ts';
import { sampleResult, type SampleOptions } from '../helpers/samples/sample-result.ts';

type Values = Record<string, number | null>;

/** A sample with these values instead. */
async function valued(
  of: (isCandidate: boolean, block: number) => Values,
  options: SampleOptions = {},
): Promise<Result> {
  const { result } = await changedSample(options, ({ trials }) => {
    for (const { conditions, measures, block } of trials)
      Object.assign(measures, of(conditions.variant === 'with-log-volume', block));
  });
  return result;
}

/** @param others processors that other programs took beside the candidate */
const disturbed = (others: number): Promise<Result> =>
  valued(
    (isCandidate, block) => ({
      tps: isCandidate === (block % 2 === 0) ? 115 : 100,
      'latency.p99': isCandidate ? 0.05 + block / 1000 : 0.04,
      'driver.others': isCandidate ? others : 0.05,
      'driver.own': 0.5,
      'driver.awake': 1,
    }),
    { blocks: 8 },
  );

const debt = (recovery: number): Promise<Result> =>
  valued((isCandidate, block) => {
    const vary = 1 + 0.001 * block;
    return {
      'latency.p50': 0.01 * (isCandidate ? 1.2 : 1) * vary,
      'debt.dirtyBuffers': 1000 * (isCandidate ? 1.5 : 1) * vary,
      'debt.recoverySeconds': (isCandidate ? recovery : 1) * vary,
    };
  });

/** Percentiles of the candidate for each of the baseline, and where the distributions of latency cross. */
async function crossing(p50: number, p99: number, crossing: Distribution['crossing']): Promise<Result> {
  const result = await valued((isCandidate, block) => ({
    'latency.p50': 0.01 * (isCandidate ? p50 : 1) * (1 + 0.001 * block),
    'latency.p95': null,
    'latency.p99': 0.1 * (isCandidate ? p99 : 1) * (1 + 0.001 * block),
    'latency.p999': null,
  }));
  const [first] = result.distributions ?? [];
  if (!first) throw new Error('the sample has no classes of latency');
  return { ...result, distributions: [{ ...first, crossing }] };
}
const candidate = 'with-log-volume';
const baseline = 'without-log-volume';

/** What got worse beside a verdict, the first first. */
const results: Record<string, { worse: string[]; open: () => Promise<Result> }> = {
  'a longer tail': {
    worse: ['latency.p999'],
    open: () => valued((isCandidate, block) => ({ 'latency.p999': 0.05 * (isCandidate ? 1.4 + block / 100 : 1) })),
  },
  'nothing, as intervals hold zero': {
    worse: [],
    open: () => sampleResult({ variants: { base: 1, same: 1 } }),
  },
  'all but the metric that decides': {
    worse: ['latency.average', 'latency.p95', 'latency.p50', 'latency.p999', 'latency.p99', 'tps.p10'],
    open: () => sampleResult({ variants: { base: 1, slow: 0.7 } }),
  },
  'what other programs can explain': { worse: [], open: () => disturbed(0.3) },
  'what other programs did not bring about': { worse: ['latency.p99'], open: () => disturbed(0.05) },
  'no intervals, and the worse side': {
    worse: [],
    open: () => sampleResult({ blocks: 4, variants: { base: 1, slow: 0.7 } }),
  },
  'no intervals, and the better side': {
    worse: [],
    open: () => sampleResult({ blocks: 4, variants: { base: 1, fast: 1.5 } }),
  },
  'two candidates': {
    worse: [
      ...['latency.average', 'latency.p95', 'latency.p50', 'latency.p99', 'latency.p999', 'tps.p10'],
      ...['latency.p95', 'latency.average', 'latency.p999', 'latency.p50', 'latency.p99', 'tps.p10'],
    ],
    open: () => sampleResult({ variants: { a: 1, b: 0.7, c: 0.8 } }),
  },
  'no verdict': {
    worse: [],
    open: async () =>
      (await changedSample({}, ({ trials }) => trials.forEach((trial) => (trial.checks = [failedCheck])))).result,
  },
  'what clients measure, what is left, and what is estimated from that': {
    worse: ['latency.p50', 'debt.dirtyBuffers', 'debt.recoverySeconds'],
    open: () => debt(9),
  },
  // By themselves, nobody notices dirty buffers, nor less than a second of recovery.
  'recovery that is less than a second longer': { worse: ['latency.p50'], open: () => debt(1.9) },
  'more below where latencies cross': {
    worse: ['latency.p50'],
    open: () => crossing(1.3, 0.5, { share: 0.717, longerBelow: candidate }),
  },
  'more above where latencies cross': {
    worse: ['latency.p99'],
    open: () => crossing(0.8, 1.5, { share: 0.934, longerBelow: baseline }),
  },
  'a crossing of which no percentile shows one side': {
    worse: ['latency.p50'],
    open: () => crossing(1.3, 1, { share: 0.7, longerBelow: candidate }),
  },
  'a crossing that percentiles contradict': {
    worse: ['latency.p50'],
    open: () => crossing(1.3, 0.5, { share: 0.7, longerBelow: baseline }),
  },
  'a crossing beyond the percentiles': {
    worse: ['latency.p50'],
    open: () => crossing(1.3, 0.5, { share: 0.995, longerBelow: candidate }),
  },
  'no crossing': { worse: ['latency.p50'], open: () => crossing(1.3, 0.5, null) },
};

it('what got worse is found, and said in one sentence', async () => {
  const texts: string[] = [];
  for (const [name, { worse, open }] of Object.entries(results)) {
    const result = await open();
    const found = worseIn(result.comparisons, 0.05).map(({ metric }) => metric);
    expect.soft({ name, worse: found }).toEqual({ name, worse });
    texts.push([`===== ${name}`, ...worseSentences(result)].join('\n'));
  }
  await expect(texts.join('\n\n').concat('\n')).toMatchFileSnapshot('answers/worse.txt');
});
