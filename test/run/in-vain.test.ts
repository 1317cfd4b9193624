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

/** Five blocks of two variants without repeats, beside a neighbour in some of the trials, counted from 0. */
function besideNeighbour(inTrial: (trial: number) => boolean, protocol: object = {}): FakeRun {
  let trial = 0;
  return fakeRun({
    protocol: { blocks: 5, repeats: 0, reset: [], ...protocol },
    generator: {
      measure() {
        const { measures = {}, facts = {} } = others(inTrial(trial++) ? 0.6 : 0);
        return Promise.resolve({ measures: { tps: 100, ...measures }, facts });
      },
    },
  });
}

describe('a run beside a neighbour', () => {
  it('ends after two blocks in which it spoilt every trial, says why and what to do, and keeps what was measured', async () => {
    const run = besideNeighbour((trial) => trial >= 2);
    const result = await run.carryOut();
    expect(result?.trials.map(({ block }) => block)).toEqual([1, 1, 2, 2, 3, 3]);
    expect(result).toMatchObject({ complete: false });
    expect(result?.stoppedBy).toMatch(
      /^Stopped after block 3: the same cause, other programs, spoilt every trial of two consecutive blocks \(one: other programs: .*\(yes 1\.20 processors\)[^]* Remove the cause, and start again\.$/,
    );
    expect(result?.warnings).toContain(result?.stoppedBy);
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
  const seen: number[] = [];
  let busy = 3;
  run.execution.lookAtNeighbours = ({ seconds }) => {
    const looks = isRepeated(run);
    if (looks) seen.push(seconds);
    return Promise.resolve(others(looks && busy-- > 0 ? 0.6 : 0));
  };
  expect((await run.carryOut())?.trials).toHaveLength(6);
  expect(seen).toEqual([2, 2, 2, 2]);
  expect(run.events.filter(({ kind }) => kind === 'waiting')).toEqual([
    {
      kind: 'waiting',
      text: 'waiting for up to 30 s: other programs took 60 % of this machine’s processors (yes 1.20 processors)',
    },
  ]);

  const endless = besideNeighbour((trial) => trial < 2, { blocks: 2, repeats: 2 });
  let looks = 0;
  endless.execution.lookAtNeighbours = () => {
    if (isRepeated(endless)) looks++;
    return Promise.resolve(others(0.6));
  };
  expect((await endless.carryOut())?.trials).toHaveLength(6);
  expect(looks).toBe(15);
});

it('a block is given up after two waits in vain, however many repeats are left', async () => {
  const run = besideNeighbour(() => true, { blocks: 3, repeats: 9 });
  run.execution.lookAtNeighbours = () => Promise.resolve(others(0.6));
  const result = await run.carryOut();
  expect(result?.trials.map(({ attempt }) => attempt)).toEqual([1, 1, 2, 2, 3, 3]);
  expect(result?.stoppedBy).toContain('Stopped after block 1: it was measured 3 times');
});

it('a run on this machine looks around before it makes its servers, and names what keeps it busy', async () => {
  const run = besideNeighbour(() => false);
  let created = false;
  const { openPlace } = run.execution;
  run.execution.openPlace = () => {
    created = true;
    return openPlace();
  };
  const looks: boolean[] = [];
  run.execution.lookAtNeighbours = () => {
    looks.push(created);
    return Promise.resolve(others(0.6));
  };
  await run.carryOut();
  expect(looks).toEqual([false, true]);
  expect(run.events).toContainEqual({
    kind: 'warning',
    text: expect.stringMatching(
      /^Before loading, other programs took 60 % .*\(yes 1\.20 processors\)\. End them/,
    ) as string,
  });
});

it.each([
  { durationSeconds: 2, seconds: 2 },
  { durationSeconds: 60, seconds: 5 },
])('a run whose trials take $durationSeconds s looks around for $seconds s', async ({ durationSeconds, seconds }) => {
  const run = besideNeighbour(() => false);
  const { plan } = run.execution;
  const steps = plan.steps.map((step) => (step.kind === 'measure' ? { ...step, trialSeconds: durationSeconds } : step));
  run.execution.plan = { ...plan, steps };
  const looks: number[] = [];
  run.execution.lookAtNeighbours = (look) => {
    looks.push(look.seconds);
    return Promise.resolve(null);
  };
  await run.carryOut();
  expect(looks).toEqual([seconds, seconds]);
});

describe('before the first trial', () => {
  async function warnings(seen: Findings | null, earlier?: FakeRun): Promise<string[]> {
    const run = besideNeighbour(() => false);
    run.execution.lookAtNeighbours = ({ ours }) => {
      run.log.push(`looked beside ${ours.join()}`);
      return Promise.resolve(seen);
    };
    run.place.ownProcesses = () => [7, 8];
    await run.carryOut(earlier && { earlier: earlier.stored() });
    const looks = run.log.filter((one) => one.startsWith('looked'));
    // Before loading, nothing of the run is there.
    expect(looks).toEqual(earlier ? [] : ['looked beside ', 'looked beside 7,8']);
    if (!earlier) expect(run.log.indexOf('looked beside 7,8')).toBeLessThan(run.log.indexOf('stage measure of one'));
    const said = run.events.flatMap((event) => (event.kind === 'warning' ? event.text : []));
    return said.filter((text) => !text.startsWith('Before loading'));
  }

  it('a run names the programs that keep the machine busy, with the remedy', async () => {
    expect(await warnings(others(0.6))).toEqual([
      'Before the first trial, other programs took 60 % of this machine’s processors (yes 1.20 processors). End them, or use another machine: trials that run beside them do not count.',
    ]);
  });

  it('a run says nothing of a quiet machine, nor of one that tells nothing', async () => {
    expect(await warnings(others(0.1))).toEqual([]);
    expect(await warnings(null)).toEqual([]);
  });

  it('a run of which nothing is left to measure does not look', async () => {
    const before = besideNeighbour(() => false);
    await before.carryOut();
    expect(await warnings(others(0.6), before)).toEqual([]);
  });
});
