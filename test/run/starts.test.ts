import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Result } from '../../runner/contract/result.ts';
import { atLevelOf, planStart } from '../../runner/experiment/plan/start.ts';
import { makePlan } from '../../runner/experiment/plan/plan.ts';
import { startsIn, type StartToKeep, keepStart } from '../../runner/run/starts.ts';
import { ledgerFiles, readLedger } from '../../runner/storage/ledger.ts';
import { server } from '../helpers/fakes/fake-connect.ts';
import { fakeRun, type FakeRun, type FakeRunOptions, temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { startWords } from '../../runner/report/answer/start-words.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

let results = '';
let warned: string[] = [];
let current: FakeRun | undefined;
beforeEach(() => {
  results = path.join(temporaryFolder(), 'results');
  mkdirSync(results);
  warned = [];
});

const question = { id: '0123456789abcdef', asks: 'tps of one against two' };
const files = () => ledgerFiles(results, question, {});
const soFar = () => startsIn(readLedger(files()).entries);
const kinds = () =>
  readLedger(files()).entries.map((entry) => ('block' in entry ? `${entry.kind} ${entry.block}` : entry.kind));

/** Carries out a start of six blocks, as the command line plans it. */
async function start(
  options: FakeRunOptions = {},
): Promise<{ result: Result | null; run: FakeRun; kept: StartToKeep }> {
  const run = fakeRun({
    protocol: { order: 'random', blocks: 6, repeats: 0, reset: [], seed: 1 },
    generator: {
      measure: ({ server: name }) => Promise.resolve({ measures: { tps: name === 'two' ? 200 : 100 }, facts: {} }),
    },
    ...options,
  });
  current = run;
  const planned = planStart(run.execution.experiment, soFar());
  if (!planned) throw new Error('it has no verdicts');
  const { experiment } = planned;
  const kept = {
    question,
    files: files(),
    start: planned.start,
    blocks: experiment.protocol.blocks,
  };
  const plan = makePlan(atLevelOf(experiment, planned.start), 'full');
  Object.assign(run.execution, { experiment, plan });
  const { now, signal } = run.execution;
  const starts = await keepStart(kept, { now, warn: (text) => warned.push(text) });
  let result: Result | null = null;
  try {
    result = await run.carryOut({ starts });
  } finally {
    await starts.ended({ result, interrupted: signal.aborted });
  }
  return { result, run, kept };
}

describe('a start of a question', () => {
  test('is in the ledger before its first block, and says how it ended', async () => {
    const { result } = await start();
    expect(kinds().slice(0, 3)).toEqual(['opened', 'block-begun 1', 'block-ended 1']);
    expect(kinds().at(-1)).toBe('ended');
    expect(kinds().filter((kind) => kind.startsWith('block-begun'))).toHaveLength(6);
    expect(result?.start).toMatchObject({
      number: 1,
      level: 1 - 1 / 32,
      others: [],
      head: readLedger(files()).hashes[0],
    });
    expect(soFar()).toEqual({ opened: 1, outcomes: ['better'], spent: expect.closeTo(0.625, 9) as number });
    expect(result?.comparisons[0]).toMatchObject({ interval: { level: 1 - 1 / 32 } });
  });

  test('that was cut off stays charged, and the next takes eight blocks at a higher level', async () => {
    let trials = 0;
    await start({
      onEvent: ({ kind }) => {
        if (kind === 'trial-ended' && ++trials === 3) current?.interrupt('it does not please');
      },
    });
    expect(kinds().slice(-3)).toEqual(['block-ended 1', 'block-begun 2', 'ended']);
    expect(soFar()).toEqual({ opened: 1, outcomes: ['cut-off'], spent: expect.closeTo(0.625, 9) as number });
    const { result } = await start();
    expect(result?.start).toMatchObject({ number: 2, level: 1 - 2 / 256 });
    expect(result?.experiment.definition.protocol.blocks).toBe(8);
    expect(result?.comparisons[0]).toMatchObject({ interval: { level: 1 - 2 / 256 } });
  });

  test('that ended before its first block is none: it costs nothing, and no answer speaks of it', async () => {
    const failing = start({
      place: { activateOnly: () => Promise.reject(new Error('no servers')) },
      generator: { load: () => Promise.reject(new Error('no space')) },
    });
    await expect(failing).rejects.toThrow();
    expect(soFar()).toEqual({ opened: 1, outcomes: [], spent: 0 });
    const { result } = await start();
    expect(result?.start).toMatchObject({ number: 2, others: [], level: 1 - 1 / 32 });
    expect(startWords(result?.start ?? { others: ['failed'] })).toBe('Run 1 of this question.');
  });

  test('goes on if its list can no longer be written, and says so once', async () => {
    const { result } = await start({
      onEvent({ kind }) {
        if (kind !== 'trial-ended') return;
        rmSync(files().own, { recursive: true });
        mkdirSync(files().own);
      },
    });
    expect(result?.complete).toBe(true);
    expect(warned).toEqual([expect.stringMatching(/^The list of runs cannot be written\. .*is a folder/)]);
  });

  test('is refused if another one began since it was planned', async () => {
    const { kept, run } = await start();
    const again = keepStart(kept, { now: run.execution.now, warn: () => undefined });
    await expect(again).rejects.toThrow('Another run of this question began at the same moment. Start again.');
  });

  test('three in a row all give an interval', async () => {
    const found: unknown[] = [];
    for (let number = 1; number <= 3; number++) {
      const { result } = await start();
      const { protocol } = result?.experiment.definition ?? {};
      found.push([protocol?.blocks, result?.comparisons[0]?.interval !== null]);
    }
    expect(found).toEqual([6, 8, 9].map((blocks) => [blocks, true]));
  });
});
