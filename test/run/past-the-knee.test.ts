import path from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { server } from '../helpers/fakes/fake-connect.ts';
import { fakeRun, type FakeRun } from '../helpers/fakes/fake-run.ts';
import { viewLadders } from '../../runner/report/sections/ladder.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

/** Throughput of both variants by clients: the one stops rising at 4, the other at 8. */
const throughput: Record<string, Record<number, number>> = {
  one: { 2: 100, 4: 200, 8: 200, 16: 200, 32: 200 },
  two: { 2: 100, 4: 200, 8: 400, 16: 400, 32: 400 },
};

function climbing(ladder: object, folder?: string): FakeRun {
  return fakeRun({
    ...(folder === undefined ? {} : { folder }),
    workload: { clients: [2, 4, 8, 16, 32] },
    protocol: { blocks: 3, reset: [], warmUpSeconds: 0 },
    experiment: { ladder },
    generator: {
      measure: (_, request) => {
        const [, clients = '', variant = ''] = /clients-(\d+)-(\w+)$/.exec(path.basename(request.folder)) ?? [];
        return Promise.resolve({ measures: { tps: throughput[variant]?.[Number(clients)] ?? NaN }, facts: {} });
      },
    },
  });
}

const levelsIn = (
  trials: readonly { block: number; conditions: Record<string, unknown> }[],
  block: number,
): unknown[] =>
  [...new Set(trials.filter((one) => one.block === block).map(({ conditions }) => conditions['clients']))].sort(
    (a, b) => Number(a) - Number(b),
  );

test('after so many blocks, levels more than one above the knee of every variant are left out, and the run is complete', async () => {
  const result = await climbing({ stopPastKneeAfter: 2 }).carryOut();
  const { trials = [] } = result ?? {};
  expect([1, 2].map((block) => levelsIn(trials, block))).toEqual([
    [2, 4, 8, 16, 32],
    [2, 4, 8, 16, 32],
  ]);
  expect(levelsIn(trials, 3)).toEqual([2, 4, 8, 16]);
  expect(result?.complete).toBe(true);
  expect(result && viewLadders(result)[0]?.sentences.join(' ')).toContain(
    'From block 3 on, load levels past the knee were skipped: 32 clients.',
  );
});

test('a run that was cut off leaves out the same levels when it is resumed', async () => {
  const cut = climbing({ stopPastKneeAfter: 2 });
  const { report } = cut.execution;
  cut.execution.report = (event) => {
    report(event);
    if (event.kind === 'trial-ended' && event.trial.block === 3) cut.interrupt('interrupted by SIGINT');
  };
  await cut.carryOut();
  const resumed = climbing({ stopPastKneeAfter: 2 }, cut.folder);
  const result = await resumed.carryOut({ earlier: cut.stored(), isResumed: true });
  expect(levelsIn(result?.trials ?? [], 3)).toEqual([2, 4, 8, 16]);
  expect(result?.complete).toBe(true);
});

test('unless asked, every level is climbed in every block', async () => {
  const result = await climbing({}).carryOut();
  expect(levelsIn(result?.trials ?? [], 3)).toEqual([2, 4, 8, 16, 32]);
});
