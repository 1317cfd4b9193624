import { beforeEach, expect, it, vi } from 'vitest';
import type { VariantCost } from '../../runner/contract/run-record.ts';
import { server } from '../helpers/fakes/fake-connect.ts';
import { fakeRun } from '../helpers/fakes/fake-run.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

const protocol = { replicas: 2, blocks: 1, reset: [], warmUpSeconds: 0 };
const cost = (hourly: number): VariantCost => ({
  region: 'us-east-1',
  dollarsPerHour: { low: hourly, high: hourly },
  dollarsPerMonth: { low: 730 * hourly, high: 730 * hourly },
  parts: [],
});

it('a run keeps what one server of each variant costs, before its first trial', async () => {
  const costs = new Map([
    ['one', cost(1)],
    ['two', cost(2)],
  ]);
  const run = fakeRun({ protocol, costs });
  await run.carryOut();
  const hourly = run.stored().run.variants.map((variant) => [variant.name, variant.cost?.dollarsPerHour?.low]);
  expect(hourly).toEqual([
    ['one', 1],
    ['one', 1],
    ['two', 2],
    ['two', 2],
  ]);
});

it('a run on this machine keeps none', async () => {
  const run = fakeRun({ protocol });
  await run.carryOut();
  expect(run.stored().run.variants.map(({ cost: kept }) => kept)).toEqual([undefined, undefined, undefined, undefined]);
});
