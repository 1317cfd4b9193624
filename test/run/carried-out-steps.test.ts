import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { isCrossedOver } from '../../runner/contract/plan.ts';
import { UserError } from '../../runner/contract/errors.ts';
import type { LogVolumeSwitch } from '../../runner/contract/server-facts.ts';
import type { CarriedOutStep } from '../../runner/contract/result.ts';
import type { Place } from '../../runner/places/place.ts';
import { server } from '../helpers/fakes/fake-connect.ts';
import { fakeRun, type FakeRun, type FakeRunOptions } from '../helpers/fakes/fake-run.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

const switched: LogVolumeSwitch = {
  instance: 'alice-one',
  logVolume: 'on',
  carries: 'two',
  downtimeSeconds: 40,
  startedAt: '2026-11-21T12:00:00.000Z',
  endedAt: '2026-11-21T12:05:00.000Z',
};

/** A place that knows in which period it is. */
function crossable(): { crossOver: NonNullable<Place['crossOver']>; entered: number[] } {
  const entered: number[] = [];
  let now = false;
  return {
    entered,
    crossOver(period) {
      entered.push(period);
      const switches = isCrossedOver(period) === now ? [] : [switched];
      now = isCrossedOver(period);
      return Promise.resolve(switches);
    },
  };
}

/** The steps of a plan that are not measurements, and its trials, in words. */
function planWords({ execution: { plan } }: FakeRun): string[] {
  return plan.steps.flatMap((step) =>
    step.kind === 'measure' ? step.trials.map(({ id }) => `trial ${id}`) : [`step ${step.kind}`],
  );
}

function eventWords({ events }: FakeRun): string[] {
  return events.flatMap((event) => {
    if (event.kind === 'step-started') return [`step ${event.step.kind}`];
    return event.kind === 'trial-ended' ? [`trial ${event.trial.id}`] : [];
  });
}

function keptSteps({ folder }: FakeRun): CarriedOutStep[] {
  const lines = readFileSync(path.join(folder, 'steps.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as CarriedOutStep);
}

const plain: FakeRunOptions = { protocol: { reset: [], settleSeconds: 60 } };
const crossover = (place: Partial<Place> = crossable()): FakeRunOptions => ({
  protocol: { reset: [], settleSeconds: 60, crossover: true, blocks: 6 },
  place,
});

describe.each([
  { name: 'a plan', options: () => plain, steps: ['create', 'load', 'settle'] },
  {
    name: 'a plan with a crossover',
    options: crossover,
    steps: ['create', 'load', 'settle', 'cross-over', 'settle', 'cross-over', 'settle', 'cross-over', 'settle'],
  },
])('$name', ({ options, steps }) => {
  it('is what runs: its steps and trials are reported in its order', async () => {
    const run = fakeRun(options());
    await run.carryOut();
    expect(eventWords(run)).toEqual(planWords(run));
    expect(planWords(run).filter((word) => word.startsWith('step '))).toEqual(steps.map((step) => `step ${step}`));
  });

  it('leaves a line for each step that was carried out, in the folder and in the result', async () => {
    const run = fakeRun(options());
    const result = await run.carryOut();
    expect(keptSteps(run).map(({ step }) => step)).toEqual(steps);
    expect(result?.steps).toEqual(keptSteps(run));
    expect(run.stored().steps).toEqual(keptSteps(run));
    for (const { step, startedAt, endedAt } of keptSteps(run)) {
      const seconds = (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
      expect(seconds).toBeGreaterThanOrEqual(step === 'settle' ? 60 : 0);
    }
  });
});

describe('the verbs load and run', () => {
  it('carry out their part of the plan', async () => {
    const loaded = fakeRun(plain);
    await loaded.carryOut({ stages: { load: true, run: false } });
    expect(eventWords(loaded)).toEqual(['step create', 'step load', 'step settle']);
    expect(loaded.log).toEqual(['under test: none', 'fill one', 'fill two', 'place closed']);

    const measured = fakeRun(plain);
    await measured.carryOut({ stages: { load: false, run: true } });
    expect(eventWords(measured)).toEqual(['step create', 'trial block-01-1-one', 'trial block-01-2-two']);
  });

  it('keep nothing and leave no place where the variants cannot be brought up', async () => {
    const run = fakeRun(plain);
    run.execution.openPlace = () => Promise.reject(new UserError('no such instance'));
    await expect(run.carryOut()).rejects.toThrow('no such instance');
    expect(eventWords(run)).toEqual(['step create']);
    expect(() => run.stored()).toThrow(UserError);
  });

  it('close the place where loading fails', async () => {
    const run = fakeRun({ ...plain, generator: { load: () => Promise.reject(new Error('it broke')) } });
    await expect(run.carryOut()).rejects.toThrow('it broke');
    expect(run.log.at(-1)).toBe('place closed');
    expect(keptSteps(run)).toMatchObject([{ step: 'create' }, { step: 'load', error: 'it broke' }]);
  });
});

describe('a crossover', () => {
  it('keeps which log volumes changed places, and enters no period twice', async () => {
    const place = crossable();
    const run = fakeRun(crossover(place));
    const result = await run.carryOut();
    expect(keptSteps(run).filter(({ switches }) => switches)).toMatchObject([
      { step: 'cross-over', switches: [switched] },
      { step: 'cross-over', switches: [switched] },
      { step: 'cross-over', switches: [switched] },
    ]);
    expect(place.entered).toEqual([1, 2, 4, 6]);
    expect(result?.trials.map(({ period }) => period)).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]);
  });

  it('that is gone on with in its second period begins there', async () => {
    const first = fakeRun({
      ...crossover(),
      onEvent(event) {
        if (event.kind === 'trial-ended' && event.trial.block === 2) first.interrupt('enough');
      },
    });
    await first.carryOut();
    expect(first.stored().trials.map(({ period, state }) => [period, state])).toEqual([
      [1, 'finished'],
      [1, 'finished'],
      [2, 'finished'],
    ]);
    const before = keptSteps(first).length;
    const place = crossable();
    const run = fakeRun({ ...crossover(place), folder: first.folder });
    await run.carryOut({ earlier: first.stored(), stages: { load: false, run: true } });
    expect(place.entered).toEqual([2, 2, 4, 6]);
    // The log volumes are switched back when the variants are started.
    const [created, ...others] = keptSteps(run).slice(before);
    expect([created?.step, created?.switches]).toEqual(['create', [switched]]);
    expect(others.map(({ step, switches }) => [step, switches?.length])).toEqual([
      ['cross-over', undefined],
      ['settle', undefined],
      ['cross-over', 1],
      ['settle', undefined],
      ['cross-over', 1],
      ['settle', undefined],
    ]);
  });

  it('that is gone on with in a later period makes no exchange for periods that are measured already', async () => {
    const first = fakeRun({
      ...crossover(),
      onEvent(event) {
        if (event.kind === 'trial-ended' && event.trial.block === 4) first.interrupt('enough');
      },
    });
    await first.carryOut();
    const place = crossable();
    const run = fakeRun({ ...crossover(place), folder: first.folder });
    await run.carryOut({ earlier: first.stored(), stages: { load: false, run: true } });
    // In period 4 the log volumes are where they were deployed.
    expect(place.entered).toEqual([4, 4, 6]);
    const periods = run.stored().trials.map(({ period = 0 }) => period);
    expect(periods.sort()).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 6, 6]);
  });

  it('does not happen where nothing is left to be measured behind it', async () => {
    const first = fakeRun(crossover());
    await first.carryOut();
    const place = crossable();
    const run = fakeRun({ ...crossover(place), folder: first.folder });
    await run.carryOut({ earlier: first.stored(), stages: { load: false, run: true } });
    expect(place.entered).toEqual([]);
    expect(eventWords(run)).toEqual(['step create']);
  });

  it('is refused where it cannot be, before anything is loaded', async () => {
    const run = fakeRun(crossover({}));
    await expect(run.carryOut()).rejects.toThrow('protocol.crossover: a crossover needs deployed variants.');
    expect(run.log).toEqual(['place closed']);
  });

  it('that is interrupted gives the trials that there are, as any interrupted run does', async () => {
    const run = fakeRun({
      ...crossover(),
      onEvent(event) {
        if (event.kind === 'step-started' && event.step.kind === 'cross-over') run.interrupt('enough');
      },
    });
    const result = await run.carryOut();
    expect(result).toMatchObject({ complete: false, trials: [{ period: 1 }, { period: 1 }] });
  });
});
