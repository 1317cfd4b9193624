import { expect, test } from 'vitest';
import { climbLadders } from '../../../runner/analysis/ladder/ladders.ts';
import { ladderSchema } from '../../../runner/contract/ladder.ts';
import type { Experiment } from '../../../runner/contract/experiment/schema.ts';
import type { Trial } from '../../../runner/contract/trial.ts';
import { ladderFigures } from '../../../runner/report/charts/ladder.ts';
import { viewLadders } from '../../../runner/report/view/ladder-view.ts';
import { trial } from '../../helpers/samples/measured-trial.ts';
import { parsedExperiment } from '../../helpers/samples/parsed-experiment.ts';
import { numbersIn } from '../../helpers/shown/chart-marks.ts';

const levels = [2, 4, 8];
const speeds: Record<string, number[]> = { one: [100, 200, 202], two: [100, 200, 400] };
const times: Record<string, number[]> = { one: [0.01, 0.012, 0.04], two: [0.01, 0.011, 0.012] };

function ladderExperiment(changes: object = {}, ladder: object = {}): Experiment {
  return parsedExperiment({
    name: 'made-up',
    question: 'Which is faster?',
    variants: { one: { storage: { type: 'local' } }, two: { storage: { type: 'local' } } },
    baseline: 'one',
    workload: { tool: 'pgbench', scale: 1, clients: levels, durationSeconds: 10, ...changes },
    protocol: { blocks: 6, seed: 1 },
    ladder,
  });
}

function climbed(blocks = 6): Trial[] {
  return Array.from({ length: blocks }, (_, block) =>
    ['one', 'two'].flatMap((variant) =>
      levels.map((clients, index) => {
        const pace = 1 + 0.01 * block;
        const measures = {
          tps: (speeds[variant]?.[index] ?? NaN) * pace,
          'latency.p95': (times[variant]?.[index] ?? NaN) / pace,
        };
        return trial(variant, block + 1, measures, { level: { clients } });
      }),
    ),
  ).flat();
}

test('a ladder has throughput, latency and knee of every variant, and is a part of the result that can be read back', () => {
  const [ladder] = climbLadders(ladderExperiment(), climbed());
  expect(ladder).toMatchObject({ axis: 'clients', throughput: 'tps', latency: 'latency.p95', tolerance: 0.05 });
  const [one, two] = ladder?.variants ?? [];
  expect(one?.knee).toMatchObject({ level: 4, best: 8, interval: { low: 4, high: 4 } });
  expect(two?.knee).toMatchObject({ level: 8, best: 8 });
  expect(one?.points.map(({ level, n }) => [level, n])).toEqual([
    [2, 6],
    [4, 6],
    [8, 6],
  ]);
  expect(one?.points[1]?.throughput?.value).toBeCloseTo(205, 1);
  expect(one?.points[1]?.throughput?.interval?.low).toBeCloseTo(200, 6);
  expect(one?.points[1]?.throughput?.interval?.high).toBeCloseTo(210, 6);
  expect(ladderSchema.parse(JSON.parse(JSON.stringify(ladder)))).toEqual(ladder);
});

test('throughput at a latency target is that of the highest level up to which all keep to it', () => {
  const target = { metric: 'latency.p95', milliseconds: 20 };
  const [ladder] = climbLadders(ladderExperiment({}, { target }), climbed());
  const [one, two] = ladder?.variants ?? [];
  expect(one?.atTarget?.level).toBe(4);
  expect(one?.atTarget?.throughput).toBeCloseTo(205, 1);
  expect(two?.atTarget?.level).toBe(8);
  const strict = climbLadders(ladderExperiment({}, { target: { ...target, milliseconds: 1 } }), climbed());
  expect(strict[0]?.variants.map(({ atTarget }) => atTarget)).toEqual([null, null]);
});

test('one number of clients is no ladder', () => {
  expect(climbLadders(ladderExperiment({ clients: 8 }), climbed())).toEqual([]);
});

test('each value of another axis has a ladder of its own', () => {
  const ladders = climbLadders(ladderExperiment({ rate: [50, 100] }), []);
  expect(ladders.map(({ axis, conditions }) => [axis, conditions])).toEqual([
    ['clients', { rate: 50 }],
    ['clients', { rate: 100 }],
    ['rate', { clients: 2 }],
    ['rate', { clients: 4 }],
    ['rate', { clients: 8 }],
  ]);
});

test('the report says where each variant has its knee, and that one has none up to the highest level', () => {
  const definition = ladderExperiment({}, { target: { metric: 'latency.p95', milliseconds: 20 } });
  const trials = climbed();
  const experiment = { name: 'made-up', question: '', profile: 'full', baseline: 'one', seed: 1, definition };
  const [view] = viewLadders({ experiment, trials, ladders: climbLadders(definition, trials) });
  expect(view?.title).toBe('Over clients');
  expect(view?.sentences).toEqual([
    'one: the knee lies at 4 clients (interval 4 clients, 95 % level), with TPS of 205, within 5 % of its best, 207 at 8 clients.',
    'one keeps latency p95 at or below 20 ms up to 4 clients, with TPS of 205 (202 to 208).',
    'two: no knee up to 8 clients, the highest level, where TPS is 410 (interval 8 clients or more, 95 % level).',
    'two keeps latency p95 at or below 20 ms up to 8 clients, with TPS of 410 (404 to 416).',
  ]);
  expect(view?.table.rows.map(({ cells }) => cells[0])).toEqual(['2', '4', '8']);
  expect(view?.table.rows[1]?.cells[1]).toMatch(/◂ knee$/);
});

test('the pictures draw every level of every variant, with the knee, and no number that is none', () => {
  const [ladder] = climbLadders(ladderExperiment(), climbed());
  const figures = ladder ? ladderFigures(ladder) : [];
  expect(figures.map(({ title }) => title)).toEqual(['TPS over clients', 'Latency p95 over TPS']);
  for (const figure of figures) {
    expect(figure.data).toBe(ladder?.variants);
    for (const narrow of [true, false]) {
      const drawn = numbersIn(figure.option({ width: 880, height: 340, narrow }));
      expect(drawn.every(Number.isFinite)).toBe(true);
    }
    expect(figure.alternative).toContain('two: 2 clients');
  }
});
