import { beforeEach, describe, expect, it, vi } from 'vitest';
import { server } from '../helpers/fakes/fake-connect.ts';
import { fakeRun, type FakeRun } from '../helpers/fakes/fake-run.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

/** A load of 100 transactions a second. */
function runAt(kind: 'local' | 'deployed', ceiling: () => Promise<number>): FakeRun {
  return fakeRun({
    place: { kind },
    protocol: { reset: [] },
    workload: { clients: 4, durationSeconds: 10 },
    generator: {
      ceiling,
      measure: () => Promise.resolve({ measures: { tps: 100, 'driver.busy': 0.2 }, facts: {} }),
    },
  });
}

describe('the ceiling of the load generator', () => {
  it.each([
    [1000, 'pass', /^the driver’s CPUs were 20% busy$/],
    [180, 'warn', /and TPS is 56% of what the load generator reaches without a server$/],
    [110, 'fail', /and TPS is 91% of what the load generator reaches without a server: the trial measured the driver$/],
  ])('of %d transactions a second is recorded, and a trial of 100 then says: %s', async (tps, state, finding) => {
    const run = runAt('deployed', () => Promise.resolve(tps));
    const result = await run.carryOut();
    expect(run.stored().run.ceilings).toEqual([{ level: {}, tps }]);
    for (const { measures, checks } of result?.trials ?? []) {
      expect(measures['load.ceiling']).toBe(tps);
      expect(checks.find(({ id }) => id === 'drivers-processors')).toMatchObject({
        state,
        finding: expect.stringMatching(finding) as string,
        ...(state === 'fail' && { outside: 'busy-driver' }),
      });
    }
  });

  it('is not asked for on this machine, where servers and load share the processors', async () => {
    const ceiling = vi.fn(() => Promise.resolve(1));
    const run = runAt('local', ceiling);
    await run.carryOut();
    expect(ceiling).not.toHaveBeenCalled();
    expect(run.stored().run.ceilings).toBeUndefined();
  });

  it('that cannot be measured is named, and the run goes on without it', async () => {
    const run = runAt('deployed', () => Promise.reject(new Error('no pgbench')));
    expect((await run.carryOut())?.complete).toBe(true);
    expect(run.events).toContainEqual({
      kind: 'warning',
      text: 'pgduet could not measure the load generator’s ceiling: no pgbench',
    });
  });
});
