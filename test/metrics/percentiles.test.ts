import { describe, expect, it } from 'vitest';
import { minForQuantile } from '../../runner/contract/metric.ts';
import { withDerived } from '../../runner/metrics/value.ts';
import { makePlan } from '../../runner/experiment/plan/plan.ts';
import { compare } from '../helpers/samples/compared-blocks.ts';
import { trial } from '../helpers/samples/measured-trial.ts';
import { parsedExperiment } from '../helpers/samples/parsed-experiment.ts';

const percentiles = { 'latency.p50': 1, 'latency.p95': 2, 'latency.p99': 3, 'latency.p999': 4, 'lag.p99': 5 };
const reported = (measures: Record<string, number>) =>
  Object.entries(withDerived({ ...percentiles, ...measures }, new Map()))
    .filter(([name, value]) => name in percentiles && value !== null)
    .map(([name]) => name);

describe('a percentile', () => {
  it('is told if ten transactions lie beyond it', () => {
    expect([0.5, 0.9, 0.95, 0.99, 0.999].map(minForQuantile)).toEqual([20, 100, 200, 1000, 10_000]);
    expect(reported({ transactions: 25 })).toEqual(['latency.p50']);
    expect(reported({ transactions: 999 })).toEqual(['latency.p50', 'latency.p95']);
    expect(reported({ transactions: 1000 })).toEqual(['latency.p50', 'latency.p95', 'latency.p99', 'lag.p99']);
    expect(reported({ transactions: 10_000 })).toEqual(Object.keys(percentiles));
  });

  it('of a sampled log counts the sample, and that of a script its own transactions', () => {
    expect(reported({ transactions: 10_000, 'log.samplingRate': 0.01 })).toEqual(['latency.p50']);
    const measures = { transactions: 5000, 'transactions@order': 400, 'latency.p99@order': 1, 'latency.p95@order': 1 };
    expect(withDerived(measures, new Map())).toMatchObject({ 'latency.p99@order': null, 'latency.p95@order': 1 });
  });

  it('that decides without a tail has no verdict, and the answer says why', () => {
    const trials = [1, 2, 3, 4, 5, 6].flatMap((block) =>
      ['without', 'with'].map((variant, index) =>
        trial(variant, block, withDerived({ tps: 100, transactions: 400, 'latency.p99': 1 + index }, new Map())),
      ),
    );
    const decision = { metric: 'latency.p99', practicalThreshold: 0.05, level: 0.95 };
    const [found] = compare(trials, { decision }).comparisons.filter(({ primary }) => primary);
    expect(found).toMatchObject({ metric: 'latency.p99', change: null, verdict: 'descriptive' });
    expect(found?.withheld[0]).toMatchObject({
      id: 'short-tail',
      message: expect.stringMatching(/ 1000 .* 12 of 12 /) as string,
    });
  });
});

describe('a plan whose decision is a percentile', () => {
  const planned = (workload: object, tps?: number) => {
    const experiment = parsedExperiment({
      name: 'made-up',
      question: 'Which is faster?',
      variants: { one: { storage: { type: 'local' } }, two: { storage: { type: 'local' } } },
      baseline: 'one',
      workload: { tool: 'pgbench', scale: 1, clients: 4, ...workload },
      decision: { metric: 'latency.p99' },
    });
    const speeds = tps === undefined ? {} : { transactions: { value: tps, source: 'the pilot' } };
    const { assumptions, warnings } = makePlan(experiment, 'full', [], speeds);
    return { assumes: assumptions.at(-1), warnings: warnings.map(({ message }) => message) };
  };

  it('says how fast trials must be, or how long at a rate or the speed of a pilot', () => {
    const lasting = { durationSeconds: 20 };
    expect(planned(lasting).assumes).toBe(
      'latency.p99 decides, and needs 1000 transactions in each trial: 50 TPS or more',
    );
    expect(planned({ ...lasting, rate: 10 }).warnings).toEqual([
      'latency.p99 decides, and needs 1000 transactions in each trial, but trials will have about 200: use trials of 100 s or longer.',
    ]);
    expect(planned(lasting, 40).warnings).toHaveLength(1);
    expect(planned(lasting, 60).warnings).toEqual([]);
  });
});
