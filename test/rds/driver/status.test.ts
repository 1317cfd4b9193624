import { beforeEach, describe, expect, it, vi } from 'vitest';
import { parseRunStatus, type RunEvent, type RunStatus } from '../../../runner/contract/status.ts';
import { TrackedStatus } from '../../../runner/experiment/plan/tracked-status.ts';
import type { Trial } from '../../../runner/contract/trial.ts';
import { server } from '../../helpers/fakes/fake-connect.ts';
import { fakeRun, type FakeRun, type FakeRunOptions } from '../../helpers/fakes/fake-run.ts';

vi.mock('../../../runner/postgres/connect.ts', () => import('../../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

/** A run whose status is followed. `observed` receives the status after each event. */
function followed(
  options: FakeRunOptions = {},
  earlier: readonly Trial[] = [],
): FakeRun & { tracked: TrackedStatus; observed: { event: RunEvent; status: RunStatus }[] } {
  const run = fakeRun({ ...options, protocol: { reset: [], repeats: 0, ...options.protocol } });
  const { plan, now } = run.execution;
  const tracked = new TrackedStatus(plan, { earlier, now, metric: 'tps' });
  const observed: { event: RunEvent; status: RunStatus }[] = [];
  const { report } = run.execution;
  run.execution.report = (event) => {
    tracked.report(event);
    // `pgduet watch` can read every one of them.
    observed.push({ event, status: parseRunStatus(JSON.stringify(tracked.status()), 'status.json') });
    report(event);
  };
  return { ...run, tracked, observed };
}

const nothingElse = {
  conditions: null,
  trialNumber: null,
  done: null,
  elapsedSeconds: null,
  tps: null,
  waitingFor: null,
};

describe('the status of a run', () => {
  it('says what goes on, from the first step to the last stage', async () => {
    const { carryOut, observed, tracked } = followed({
      generator: {
        tryScripts: () => Promise.resolve(null),
        measure(_, { onProgress }) {
          onProgress({ elapsedSeconds: 1, tps: 90 });
          return Promise.resolve({ measures: { tps: 100, 'latency.p50': 1 }, facts: {} });
        },
      },
    });
    expect(tracked.status().current).toEqual({ ...nothingElse, stage: 'create' });
    await carryOut();
    const stages = observed.map(({ status }) => status.current?.stage);
    expect(stages.filter((stage, index) => stage !== stages[index - 1])).toEqual([
      ...['create', 'load', 'try-out', 'load', 'try-out'],
      ...['reset', 'warm-up', 'measure', 'collect'],
      ...['reset', 'warm-up', 'measure', 'collect'],
    ]);
    const currentAt = (kind: RunEvent['kind']) => observed.find(({ event }) => event.kind === kind)?.status.current;
    expect(currentAt('loading')).toEqual({ ...nothingElse, stage: 'load', conditions: { variant: 'one' }, done: 1 });
    expect(currentAt('progress')).toEqual({
      stage: 'measure',
      conditions: { variant: 'one' },
      trialNumber: 1,
      done: null,
      elapsedSeconds: 1,
      tps: 90,
      waitingFor: null,
    });
    expect(tracked.status().trials).toMatchObject([
      { id: 'block-01-1-one', number: 1, state: 'finished', measures: { tps: 100 }, error: null },
      { id: 'block-01-2-two', number: 2, state: 'finished', measures: { tps: 100 }, error: null },
    ]);
  });

  it('says during the switch of a crossover that this goes on, and no stage of the trial before it', async () => {
    const during: RunStatus['current'][] = [];
    const run = followed({
      protocol: { crossover: { exchanges: 1 }, blocks: 2 },
      place: {
        crossOver() {
          during.push(run.tracked.status().current);
          return Promise.resolve([]);
        },
      },
    });
    await run.carryOut();
    expect(during).toEqual([
      { ...nothingElse, stage: 'create' },
      { ...nothingElse, stage: 'cross-over' },
    ]);
  });

  it.each([
    ['blocks', false],
    ['verdict', true],
  ] as const)('of until: %s says whether it may end early: %s', (until, mayStopEarly) => {
    expect(followed({ protocol: { until, blocks: 8 } }).tracked.status()).toMatchObject({ mayStopEarly });
  });

  it('expects an end that comes nearer with each step and trial', async () => {
    const { carryOut, observed } = followed();
    await carryOut();
    const begins = ({ kind, ...rest }: RunEvent): boolean =>
      kind === 'step-started' || (kind === 'stage-started' && 'stage' in rest && rest.stage === 'reset');
    const left = observed
      .filter(({ event }) => begins(event))
      .map(({ status }) => Date.parse(status.expectedEndAt ?? '') - Date.parse(status.updatedAt));
    expect(left).toHaveLength(4);
    expect(left).toEqual([...new Set(left)].sort((a, b) => b - a));
    expect(left.at(-1)).toBeGreaterThan(0);
  });

  it('tells of a trial that failed in which stage and why, and of a repeat', async () => {
    let measured = 0;
    const { carryOut, tracked } = followed({
      protocol: { repeats: 1, quietMachine: 'required' },
      generator: {
        measure() {
          measured++;
          if (measured === 3) return Promise.reject(new Error('it broke'));
          return Promise.resolve({ measures: { tps: 1, 'driver.others': measured === 1 ? 0.5 : 0 }, facts: {} });
        },
      },
    });
    await carryOut();
    expect(tracked.status().trials.map(({ number, error }) => [number, error])).toEqual([
      [1, null],
      [2, null],
      [null, 'measure: it broke'],
      [null, null],
    ]);
    expect(tracked.status().problems).toEqual([
      'pgduet repeats block 1: one of its trials failed, was not valid or was cut off.',
    ]);
  });

  it('knows the trials of an earlier start, and the first word about its end stays', async () => {
    const first = fakeRun({ protocol: { reset: [] } });
    await first.carryOut();
    const { tracked } = followed({}, first.stored().trials);
    expect(tracked.status().trials.map(({ id }) => id)).toEqual(['block-01-1-one', 'block-01-2-two']);
    tracked.end({ state: 'stopped', problems: ['limits.hours'] });
    tracked.end({ state: 'failed', problems: ['something else'] });
    expect(tracked.status()).toMatchObject({ state: 'stopped', current: null, problems: ['limits.hours'] });
  });
});
