import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Findings } from '../../runner/collect/collector.ts';
import { blocksLeft } from '../../runner/run/measure-blocks.ts';
import { server } from '../helpers/fakes/fake-connect.ts';
import { fakeRun, type FakeRun } from '../helpers/fakes/fake-run.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

const others = (share: number): Findings => ({
  measures: { 'driver.others': share },
  facts: { neighbours: [{ name: 'yes', processors: 1.2 }] },
});

/**
 * Five blocks of two variants without repeats, on a machine that must be quiet, beside a neighbour in some of the
 * trials, counted from 0.
 */
function besideNeighbour(inTrial: (trial: number) => boolean, protocol: object = {}): FakeRun {
  let trial = 0;
  return fakeRun({
    protocol: { blocks: 5, repeats: 0, reset: [], quietMachine: 'required', ...protocol },
    generator: {
      measure() {
        const { measures = {}, facts = {} } = others(inTrial(trial++) ? 0.6 : 0);
        return Promise.resolve({ measures: { tps: 100, ...measures }, facts });
      },
    },
  });
}

describe('a run on a machine that must be quiet', () => {
  it('ends after two blocks in which it spoilt every trial, says why and what to do, and keeps what was measured', async () => {
    const run = besideNeighbour((trial) => trial >= 2);
    const result = await run.carryOut();
    expect(result?.trials.map(({ block }) => block)).toEqual([1, 1, 2, 2, 3, 3]);
    expect(result).toMatchObject({ complete: false });
    expect(result?.stoppedBy?.id).toBe('measured-in-vain');
    expect(result?.stoppedBy?.message).toMatch(
      /^Stopped after block 3: .*\(yes 1\.20 CPUs\)[^]* Later blocks would fail the same way/,
    );
    expect(result?.warnings).toContainEqual({ id: 'stopped-early', message: result?.stoppedBy?.message });
    expect(run.stored().trials).toHaveLength(6);
    expect(blocksLeft(run.execution.plan, run.execution.experiment, run.stored().trials)).toEqual([]);
  });

  it('goes on where one trial of each block counts, and where the spoilt blocks are not one after the other', async () => {
    expect((await besideNeighbour((trial) => trial % 2 === 0).carryOut())?.trials).toHaveLength(10);
    expect((await besideNeighbour((trial) => trial % 4 < 2).carryOut())?.trials).toHaveLength(10);
  });

  it('has nothing to spare after its last block', async () => {
    const result = await besideNeighbour(() => true, { blocks: 2 }).carryOut();
    expect(result).toMatchObject({ complete: true });
    expect(result?.stoppedBy).toBeUndefined();
  });
});

const isRepeated = ({ events }: FakeRun): boolean => events.some(({ kind }) => kind === 'block-repeated');

it('a block that other programs spoilt is measured again once they have ended, or after half a minute', async () => {
  const run = besideNeighbour((trial) => trial < 2, { blocks: 2, repeats: 2 });
  const observed: number[] = [];
  let busy = 3;
  run.execution.lookAtNeighbours = ({ seconds }) => {
    const looks = isRepeated(run);
    if (looks) observed.push(seconds);
    return Promise.resolve(others(looks && busy-- > 0 ? 0.6 : 0));
  };
  expect((await run.carryOut())?.trials).toHaveLength(6);
  expect(observed).toEqual([2, 2, 2, 2]);
  expect(run.events.filter(({ kind }) => kind === 'waiting')).toEqual([
    {
      kind: 'waiting',
      text: 'waiting for up to 30 s: other programs used 60% of this machine’s CPUs (yes 1.20 CPUs)',
    },
  ]);

  const endless = besideNeighbour((trial) => trial < 2, { blocks: 2, repeats: 2 });
  let looks = 0;
  endless.execution.lookAtNeighbours = () => {
    if (isRepeated(endless)) looks++;
    return Promise.resolve(others(isRepeated(endless) ? 0.6 : 0));
  };
  expect((await endless.carryOut())?.trials).toHaveLength(6);
  expect(looks).toBe(15);
});

it('a block is given up after two waits in vain, however many repeats are left', async () => {
  const run = besideNeighbour(() => true, { blocks: 3, repeats: 9 });
  run.execution.lookAtNeighbours = () => Promise.resolve(others(isRepeated(run) ? 0.6 : 0));
  const result = await run.carryOut();
  expect(result?.trials.map(({ attempt }) => attempt)).toEqual([1, 1, 2, 2, 3, 3]);
  expect(result?.stoppedBy?.message).toContain('Stopped after block 1: it was measured 3 times');
});

describe('before a run makes servers on this machine', () => {
  /** Looks that find these shares, the last one again and again. */
  function besideThese(shares: readonly number[], quietMachine: string): { run: FakeRun; looks: number[] } {
    const run = besideNeighbour(() => false, { quietMachine });
    const looks: number[] = [];
    run.execution.lookAtNeighbours = ({ seconds, ours }) => {
      expect(ours).toEqual([]);
      expect(run.log).not.toContain('stage measure of one');
      looks.push(seconds);
      return Promise.resolve(others(shares[Math.min(looks.length, shares.length) - 1] ?? 0));
    };
    return { run, looks };
  }
  const textsOf = ({ events }: FakeRun, wanted: string): string[] =>
    events.flatMap((event) => (event.kind === wanted && 'text' in event ? event.text : []));

  it('it says which effects can be seen beside other programs, and goes on', async () => {
    const { run, looks } = besideThese([0.3], 'preferred');
    expect((await run.carryOut())?.trials).toHaveLength(10);
    expect(looks).toHaveLength(1);
    expect(textsOf(run, 'warning')).toEqual([
      'Before loading, other programs used 30% of this machine’s CPUs (yes 1.20 CPUs). If they continue, only a throughput that differs by more than about 150% is an answer about a quiet machine; a smaller difference, or one of latency, holds beside such programs. Stop them for an answer about the machine.',
    ]);
  });

  it('trials beside them count', async () => {
    const run = besideNeighbour(() => true, { quietMachine: 'preferred' });
    const result = await run.carryOut();
    expect(result).toMatchObject({ complete: true });
    expect(result?.trials.flatMap(({ checks }) => checks.filter(({ state }) => state === 'fail'))).toEqual([]);
  });

  it.each([['preferred'], ['awaited'], ['required']])('nothing is said of a quiet machine (%s)', async (rule) => {
    const { run, looks } = besideThese([0.02], rule);
    await run.carryOut();
    expect(looks).toHaveLength(1);
    expect([...textsOf(run, 'warning'), ...textsOf(run, 'waiting')]).toEqual([]);
  });

  it('it waits for them if it is told to, and says which effects can be seen if they go on for ten minutes', async () => {
    const ended = besideThese([0.6, 0.6, 0.02], 'awaited');
    await ended.run.carryOut();
    expect(ended.looks).toHaveLength(3);
    expect(textsOf(ended.run, 'waiting')).toEqual([
      'waiting for up to 10 min: other programs used 60% of this machine’s CPUs (yes 1.20 CPUs)',
    ]);
    expect(textsOf(ended.run, 'warning')).toEqual([]);

    const endless = besideThese([0.6], 'awaited');
    expect((await endless.run.carryOut())?.trials).toHaveLength(10);
    expect(endless.looks.reduce((sum, seconds) => sum + seconds, 0)).toBeGreaterThanOrEqual(600);
    expect(textsOf(endless.run, 'warning')).toEqual([expect.stringMatching(/^Before loading, other programs/)]);
  });

  it('it is refused where the machine must be quiet, and nothing is made', async () => {
    const { run } = besideThese([0.6], 'required');
    let created = false;
    run.execution.openPlace = () => {
      created = true;
      return Promise.reject(new Error('not refused'));
    };
    await expect(run.carryOut()).rejects.toThrow(
      'Before loading, other programs used 60% of this machine’s CPUs (yes 1.20 CPUs), but this run requires a quiet machine. Stop them, use another machine, or let the answer allow for them (--quiet-machine preferred).',
    );
    expect(created).toBe(false);
  });

  it('a run of which nothing is left to measure does not look', async () => {
    const before = besideNeighbour(() => false);
    await before.carryOut();
    const { run, looks } = besideThese([0.6], 'required');
    await run.carryOut({ earlier: before.stored() });
    expect(looks).toEqual([]);
  });

  it.each([
    { durationSeconds: 2, seconds: 2 },
    { durationSeconds: 60, seconds: 5 },
  ])('a run whose trials take $durationSeconds s looks around for $seconds s', async ({ durationSeconds, seconds }) => {
    const { run, looks } = besideThese([0], 'preferred');
    const { plan } = run.execution;
    const steps = plan.steps.map((step) =>
      step.kind === 'measure' ? { ...step, trialSeconds: durationSeconds } : step,
    );
    run.execution.plan = { ...plan, steps };
    await run.carryOut();
    expect(looks).toEqual([seconds]);
  });
});
