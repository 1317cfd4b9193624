import { expect, test } from 'vitest';
import { speedsOfPilot } from '../../runner/analysis/pilot.ts';
import type { Result } from '../../runner/contract/result.ts';
import { makePlan } from '../../runner/experiment/plan/plan.ts';
import { deploy } from '../helpers/samples/deployed-sample.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';

const at = (seconds: number): string => new Date(Date.UTC(2026, 10, 21) + seconds * 1000).toISOString();
const step = (name: Result['steps'][number]['step'], from: number, to: number) => ({
  step: name,
  startedAt: at(from),
  endedAt: at(to),
});

/** A pilot on RDS whose steps took known times. */
async function pilotOf(): Promise<Result> {
  const { result: pilot } = await changedSample({ blocks: 2 }, deploy);
  const load = { server: 'one', outcome: 'loaded' as const, startedAt: at(0), endedAt: at(10) };
  pilot.steps = [
    step('create', 0, 7),
    { ...step('load', 0, 30), loads: [{ ...load, outcome: 'failed' as const, endedAt: at(3) }, load] },
    { ...step('touch', 0, 30), touched: [{ server: 'one', bytes: 5e9, seconds: 20 }] },
    {
      ...step('cross-over', 0, 600),
      switches: [
        {
          instance: 'one',
          logVolume: 'on' as const,
          carries: 'two',
          downtimeSeconds: 40,
          startedAt: at(0),
          endedAt: at(600),
        },
      ],
    },
  ];
  pilot.experiment.definition.protocol.reset = ['vacuum', 'checkpoint'];
  for (const trial of pilot.trials) trial.resetSeconds = 4;
  return pilot;
}

const rowsOf = ({ experiment: { definition } }: Result): number => Number(definition.workload['scale']) * 100_000;

test('what a pilot measured takes the place of what is assumed, in time and in words', async () => {
  const pilot = await pilotOf();
  const { definition } = pilot.experiment;
  const rows = rowsOf(pilot);
  const speeds = speedsOfPilot(pilot, definition);
  const source = 'measured in the pilot';
  expect(speeds).toEqual({
    loadedRows: { value: rows / 10, source },
    touchedBytes: { value: 250e6, source },
    crossoverSeconds: { value: 600, source },
    vacuumedRows: { value: rows / 4, source },
    transactions: { value: slowestOf(pilot), source },
  });
  const plan = makePlan(definition, 'full', [], speeds);
  expect(plan.steps.find(({ kind }) => kind === 'load')?.expectedSeconds).toBeCloseTo(20, 6);
  expect(plan.assumptions).toContain(`loading ${(rows / 10).toLocaleString('en')} rows per second (${source})`);
  // No run sees how long its stack took to deploy.
  expect(plan.assumptions[0]).toMatch(/to deploy \(a guess/);
});

test('a pilot on this machine says nothing of RDS', async () => {
  const pilot = await pilotOf();
  const local: Result = { ...pilot, place: { ...pilot.place, kind: 'local' } };
  expect(speedsOfPilot(local, pilot.experiment.definition)).toEqual({});
});

test('a pilot that recorded none of it tells only how fast its slowest trial was', async () => {
  const pilot = { ...(await pilotOf()), steps: [] };
  for (const trial of pilot.trials) delete trial.resetSeconds;
  expect(speedsOfPilot(pilot, pilot.experiment.definition)).toEqual({
    transactions: { value: slowestOf(pilot), source: 'measured in the pilot' },
  });
});

function slowestOf({ trials }: Result): number {
  return Math.min(...trials.map(({ measures }) => measures['tps'] ?? Infinity));
}
