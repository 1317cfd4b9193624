import { expect, it } from 'vitest';
import { codesIn, problemsIn, smallExperiment } from '../helpers/samples/experiment-file.ts';

const scripts = [{ builtin: 'select-only' }, { builtin: 'tpcb-like', weight: 2 }];
const sample = { scripts, samplingRate: 0.1, latencyLimitMs: 5, rate: 100 };
const threshold = { practicalThreshold: 0.001 };

const withWorkload = (decision: object, workload: object, more: object = {}) => {
  const small = smallExperiment();
  return { ...small, workload: { ...small.workload, ...workload }, decision, ...more };
};

// What may not decide is in file-problems.test.ts.
it.each<[decision: object, workload: object, more?: object]>([
  [{ metric: 'latency.p99', script: 'tpcb-like' }, { scripts }],
  [{ metric: 'latency.average', script: 'tpcb-like' }, { scripts }, { collect: [] }],
  [{ metric: 'latency.withinLimit', ...threshold }, { latencyLimitMs: 5 }],
  [{ metric: 'lag.p99' }, { rate: 100 }],
  [{ metric: 'lag.average' }, { rate: 100 }],
  [{ metric: 'latency.connection' }, { reconnect: true }],
  [{}, { latencyLimitMs: 0.001 }],
  [{}, { samplingRate: 1 }, { collect: [] }],
  // pgbench itself says these of all transactions.
  [{ metric: 'tps' }, sample],
  [{ metric: 'latency.average', script: 'tpcb-like' }, sample],
  [{ metric: 'latency.withinLimit', ...threshold }, sample],
  [{ metric: 'lag.average' }, sample],
  // With its whole log, everything decides.
  ...['latency.p99', 'lag.p95'].map((metric): [object, object] => [{ metric }, { ...sample, samplingRate: 1 }]),
  [
    { metric: 'latency.withinLimit', script: 'tpcb-like', ...threshold },
    { ...sample, samplingRate: 1 },
  ],
])('%j may decide with the workload %j', (decision, workload, more) => {
  expect(codesIn(withWorkload(decision, workload, more))).toEqual([]);
});

it.each([
  [{ metric: 'latency.withinLimit', ...threshold }, 'latencyLimitMs'],
  [{ metric: 'lag.p99' }, 'workload.rate'],
  [{ metric: 'latency.connection' }, 'workload.reconnect'],
  [{ metric: 'latency.p99', script: 'tpcb-lik' }, '"tpcb-like"'],
])('what %j takes is named', (decision, remedy) => {
  const workload = 'script' in decision ? { scripts } : {};
  expect(problemsIn(withWorkload(decision, workload))[0]?.message).toContain(remedy);
});
