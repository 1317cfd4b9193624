import { beforeEach, describe, expect, it, vi } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import type { MeasureStep } from '../../runner/contract/plan.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { activateOnly } from '../../runner/places/local/local-variant.ts';
import { allOf, failuresByServer, forEachServer } from '../../runner/places/servers-failed.ts';
import { measureTrials } from '../../runner/run/trial.ts';
import { server } from '../helpers/fakes/fake-connect.ts';
import { fakeRun, type FakeRun } from '../helpers/fakes/fake-run.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

const { signal } = new AbortController();

async function measured(run: FakeRun): Promise<Trial[]> {
  const step = run.execution.plan.steps.find((one): one is MeasureStep => one.kind === 'measure');
  if (!step) throw new Error('a plan without a trial');
  return (await measureTrials(await run.running(), new Map(), step)).map(({ trial }) => trial);
}

/** A run whose place fails with server two, before the warm-up. */
const failingWithTwo = (order: string): FakeRun =>
  fakeRun({
    protocol: { order, reset: [] },
    place: {
      activateOnly: (tested) =>
        tested.length === 0
          ? Promise.resolve()
          : forEachServer(['one', 'two'], signal, (name) =>
              name === 'two' ? Promise.reject(new Error('its volume is gone')) : Promise.resolve(),
            ),
    },
  });

describe('a place that fails with one server', () => {
  it('fails the trial of that server, and not the one that is measured together with it', async () => {
    const [one, two] = await measured(failingWithTwo('together'));
    expect(one).toMatchObject({ conditions: { variant: 'one' }, state: 'finished' });
    expect(two).toMatchObject({ state: 'failed', failure: { stage: 'warm-up', error: 'its volume is gone' } });
  });

  it('fails no trial of another server, and is told by the name of the server', async () => {
    const run = failingWithTwo('fixed');
    const [one] = await measured(run);
    expect(one).toMatchObject({ conditions: { variant: 'one' }, state: 'finished' });
    expect(run.events).toContainEqual({
      kind: 'warning',
      text: 'two, which is not being measured now, has a problem: its volume is gone',
    });
  });
});

describe('local variants', () => {
  it('are all limited, also where the cluster of one does not answer, which is named', async () => {
    server.onQuery = (name) => {
      if (name === 'two') throw new Error('no answer');
    };
    const { place } = fakeRun({ experiment: { variants: threeVariants } });
    const limited: string[] = [];
    const variants = new Map(
      [...place.targets].map(([name, target]) => [
        name,
        {
          target,
          volumes: [{ limit: (on: boolean) => Promise.resolve(void limited.push(`${name} ${on}`)) } as never],
          standbys: [],
        },
      ]),
    );
    const failure = await activateOnly(variants, ['one'], signal).catch((error: unknown) => error);
    expect(failuresByServer(failure)).toEqual(new Map([['two', new Error('no answer')]]));
    expect(limited).toEqual(['one true', 'two false', 'three false']);
    expect(server.connections.map(({ variant }) => variant)).toEqual(['two', 'three']);
  });
});

const local = { storage: { type: 'local' } };
const threeVariants = { one: local, two: local, three: local };

describe('failures of several servers', () => {
  it('are all told, and are for the user if each of them is', async () => {
    const refuse = (name: string) => Promise.reject(new UserError(`${name} is not there`));
    const failing = allOf(
      () => forEachServer(['one'], signal, refuse),
      () => forEachServer(['one', 'two'], signal, refuse),
    );
    await expect(failing).rejects.toThrow('one: one is not there\ntwo: two is not there');
    await expect(failing).rejects.toThrow(UserError);
    await expect(forEachServer(['one'], signal, () => Promise.reject(new Error('a bug')))).rejects.not.toThrow(
      UserError,
    );
  });

  it('are none of them where the run was interrupted', async () => {
    const interrupted = AbortSignal.abort(new Error('interrupted'));
    const failing = forEachServer(['one'], interrupted, () => Promise.reject(new Error('cut off')));
    const failure = await failing.catch((error: unknown) => error);
    expect(failure).toBe(interrupted.reason);
    expect(failuresByServer(failure)).toBeNull();
  });
});
