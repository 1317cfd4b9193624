import { describe, expect, it } from 'vitest';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';

const scripts = [{ builtin: 'select-only' }, { builtin: 'tpcb-like', weight: 2 }];

function load(decision: object, workload: object = {}, more: object = {}) {
  const small = smallExperiment();
  const content = { ...small, workload: { ...small.workload, ...workload }, decision, ...more };
  return loadExperiment('small', { folder: folderWithExperiment('small', content) }).experiment;
}

describe('a metric of one script', () => {
  it('may decide', () => {
    const { decision } = load({ metric: 'latency.p99', script: 'tpcb-like' }, { scripts });
    expect(decision).toMatchObject({ metric: 'latency.p99', script: 'tpcb-like' });
  });

  it('is refused with file, line and what there is for a script that is not in the workload', () => {
    expect(() => load({ metric: 'latency.p99', script: 'tpcb' }, { scripts })).toThrow(
      /small\.yaml:\d+:\d+ {2}decision\.script: .*"tpcb".*expected one of select-only, tpcb-like; did you mean "tpcb-like"\?/,
    );
  });

  it('is refused where there is one script, where no script has it, and where its log is left out', () => {
    expect(() => load({ metric: 'latency.p99', script: 'tpcb-like' })).toThrow(/decision\.script: .*leave it out/);
    expect(() => load({ metric: 'tps.p10', script: 'tpcb-like' }, { scripts })).toThrow(
      /decision\.metric: .*not measured for each script; expected one of tps, latency\.average,/,
    );
    expect(() => load({ metric: 'latency.p99', script: 'tpcb-like' }, { scripts }, { collect: [] })).toThrow(
      /add "transaction-log" to collect/,
    );
    expect(load({ metric: 'latency.average', script: 'tpcb-like' }, { scripts }, { collect: [] }).collect).toEqual([]);
  });

  it('has a name that tells it from any other', () => {
    expect(() => load({}, { scripts: [{ builtin: 'tpcb-like' }, { builtin: 'tpcb-like' }] })).toThrow(/listed twice/);
    expect(() => load({}, { scripts: [{ file: 'a/x.sql' }, { file: './a/x.sql' }] })).toThrow(/a\/x is listed twice/);
  });
});

it.each([
  [{ metric: 'latency.withinLimit', practicalThreshold: 0.001 }, { latencyLimitMs: 5 }, 'latencyLimitMs'],
  [{ metric: 'lag.p99' }, { rate: 100 }, 'workload.rate'],
  [{ metric: 'lag.average' }, { rate: 100 }, 'workload.rate'],
  [{ metric: 'latency.connection' }, { reconnect: true }, 'workload.reconnect'],
])('%j is measured with %j, and refused without', (decision, workload, remedy) => {
  expect(load(decision, workload).decision).toMatchObject(decision);
  expect(() => load(decision)).toThrow(new RegExp(`does not measure it here: .*${remedy}`));
});

it('a limit that pgbench would take for none is refused', () => {
  expect(() => load({}, { latencyLimitMs: 0.0005 })).toThrow(/workload\.latencyLimitMs: .*0\.001/);
  expect(load({}, { latencyLimitMs: 0.001 }).workload).toMatchObject({ latencyLimitMs: 0.001 });
});

describe('a sample of the log', () => {
  const sampled = { scripts, samplingRate: 0.1, latencyLimitMs: 5, rate: 100 };
  const threshold = { practicalThreshold: 0.001 };

  it.each([
    { metric: 'latency.p99' },
    { metric: 'lag.p95' },
    { metric: 'latency.p50', script: 'tpcb-like' },
    { metric: 'latency.withinLimit', script: 'tpcb-like', ...threshold },
  ])('does not decide by %j', (decision) => {
    expect(() => load(decision, sampled)).toThrow(/decision\.metric: .*its log is a sample.*workload\.samplingRate/);
    expect(load(decision, { ...sampled, samplingRate: 1 }).decision).toMatchObject(decision);
  });

  it.each([
    { metric: 'tps' },
    { metric: 'latency.average', script: 'tpcb-like' },
    { metric: 'latency.withinLimit', ...threshold },
    { metric: 'lag.average' },
  ])('leaves what pgbench says of all transactions to decide: %j', (decision) => {
    expect(load(decision, sampled).decision).toMatchObject(decision);
  });

  it('is refused where no log is collected', () => {
    expect(() => load({}, { samplingRate: 0.1 }, { collect: [] })).toThrow(
      /workload\.samplingRate: .*no log is collected; .* add "transaction-log" to collect/,
    );
    expect(load({}, { samplingRate: 1 }, { collect: [] }).collect).toEqual([]);
  });
});

it('a share that decides needs a threshold of its own: five points would call 99.9 and 96 % the same', () => {
  expect(() => load({ metric: 'latency.withinLimit' }, { latencyLimitMs: 5 })).toThrow(
    /decision\.practicalThreshold: missing; .* 0\.001 is a tenth of a percentage point/,
  );
});
