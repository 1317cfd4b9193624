import { expect, test } from 'vitest';
import { climbLadders } from '../../../runner/analysis/ladder/ladders.ts';
import { ladderSchema } from '../../../runner/contract/ladder.ts';
import type { Experiment } from '../../../runner/contract/experiment/schema.ts';
import type { Trial } from '../../../runner/contract/trial.ts';
import { ladderFigures } from '../../../runner/report/charts/ladder.ts';
import { trial } from '../../helpers/samples/measured-trial.ts';
import { parsedExperiment } from '../../helpers/samples/parsed-experiment.ts';
import { viewLadders } from '../../../runner/report/sections/ladder.ts';

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
  expect(one?.knee).toMatchObject({ level: 4, interval: { low: 4, high: 4 } });
  expect(two?.knee).toMatchObject({ level: null, interval: { low: 8, high: 8 } });
  expect(one?.best).toMatchObject({ levels: [8], n: 6 });
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
  const [ladder] = climbLadders(ladderExperiment({}, { target }), climbed(7));
  const [one, two] = ladder?.variants ?? [];
  expect(one?.atTarget?.level).toBe(4);
  expect(one?.atTarget?.throughput).toBeCloseTo(206, 1);
  expect(one?.atTarget?.levels).toMatchObject({ low: 4, high: 4 });
  // Four tails of 1 in 2^7 each: both ends of the levels, and both of the throughput.
  expect(one?.atTarget?.interval).toEqual({
    low: expect.closeTo(200, 6) as number,
    high: expect.closeTo(212, 6) as number,
    level: expect.closeTo(1 - 4 / 2 ** 7, 9) as number,
  });
  expect(two?.atTarget?.level).toBe(8);
  const strict = climbLadders(ladderExperiment({}, { target: { ...target, milliseconds: 1 } }), climbed());
  expect(strict[0]?.variants.map(({ atTarget }) => [atTarget?.level, atTarget?.throughput])).toEqual([
    [null, null],
    [null, null],
  ]);
});

test('six blocks leave the interval at a target out: its four errors would add up to more than 5%', () => {
  const target = { metric: 'latency.p95', milliseconds: 20 };
  const [ladder] = climbLadders(ladderExperiment({}, { target }), climbed(6));
  expect(ladder?.variants.map(({ atTarget }) => atTarget?.interval)).toEqual([null, null]);
});

test('a level that may keep to the target or not widens the interval of the throughput at it', () => {
  const trials = climbed(7).map((one) =>
    one.conditions['clients'] === 8 && one.conditions.variant === 'one'
      ? { ...one, measures: { ...one.measures, 'latency.p95': one.block % 2 === 0 ? 0.019 : 0.0215 } }
      : one,
  );
  const target = { metric: 'latency.p95', milliseconds: 20 };
  const definition = ladderExperiment({}, { target });
  const ladders = climbLadders(definition, trials);
  expect(ladders[0]?.variants[0]?.atTarget).toMatchObject({ level: 4, levels: { low: 4, high: 8 } });
  expect(ladders[0]?.variants[0]?.atTarget?.interval?.high).toBeCloseTo(202 * 1.06, 6);
  const experiment = { name: 'made-up', question: '', profile: 'full', baseline: 'one', seed: 1, definition };
  expect(viewLadders({ experiment, trials, ladders })[0]?.sentences[2]).toMatch(
    /^one keeps .* up to 4 clients, .* \(200 to 214, 96\.9% confidence\); the true limit may be anything from “up to 4 clients” to “up to 8 clients”\.$/,
  );
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

test('the best of a variant that is many times as good is said as a multiple', () => {
  const definition = ladderExperiment();
  const [ladder] = climbLadders(definition, climbed());
  if (!ladder) throw new Error('no ladder');
  const variants = ladder.variants.map((one) => ({
    ...one,
    best: { value: one.variant === 'one' ? 100 : 5300, n: 6, levels: [8] },
  }));
  const experiment = { name: 'made-up', question: '', profile: 'full', baseline: 'one', seed: 1, definition };
  const [view] = viewLadders({ experiment, trials: [], ladders: [{ ...ladder, variants }] });
  expect(view?.sentences).toContainEqual(expect.stringMatching(/two .* 53 times/));
});

test('the report says where each variant has its knee, and that one has none up to the highest level', () => {
  const definition = ladderExperiment({}, { target: { metric: 'latency.p95', milliseconds: 20 } });
  const trials = climbed(7);
  const experiment = { name: 'made-up', question: '', profile: 'full', baseline: 'one', seed: 1, definition };
  const [view] = viewLadders({ experiment, trials, ladders: climbLadders(definition, trials) });
  expect(view?.title).toBe('Over clients');
  const how = 'at 8 clients (each half of the 7 blocks chose this level, and the other half measured it)';
  expect(view?.sentences).toEqual([
    'one: the knee lies at 4 clients (interval 4 clients, 95% confidence, approximate), with TPS of 206.',
    `one: the best TPS is 208, ${how}.`,
    'one keeps latency p95 at or below 20 ms up to 4 clients, with TPS of 206 (200 to 212, 96.9% confidence).',
    'two: no knee up to 8 clients, the highest level, where TPS is 412 (interval 8 clients or more, 95% confidence, approximate).',
    `two: the best TPS is 412, ${how}.`,
    'two keeps latency p95 at or below 20 ms up to 8 clients, with TPS of 412 (400 to 424, 96.9% confidence).',
    'Best against best, two differs by +98.0%; there is no interval for this.',
  ]);
  expect(view?.table.rows.map(({ cells }) => cells[0])).toEqual(['2', '4', '8']);
  // What the sentences call no knee, the table does not mark as one.
  expect(view?.table.rows.map(({ cells }) => cells.map((cell) => cell.includes('knee')))).toEqual([
    [false, false, false, false, false],
    [false, true, false, false, false],
    [false, false, false, false, false],
  ]);
});

test('the pictures draw every level of every variant, with the knee, and no number that is none', () => {
  const [ladder] = climbLadders(ladderExperiment(), climbed());
  const figures = ladder ? ladderFigures(ladder) : [];
  expect(figures.map(({ title }) => title)).toEqual(['TPS over clients', 'Latency p95 over TPS']);
  for (const figure of figures) {
    expect(figure.data).toBe(ladder?.variants);
    for (const width of [354, 880]) {
      const drawn = figure.draw(width).marks.map(({ text }) => text);
      expect(drawn.join('')).not.toMatch(/NaN|Infinity|undefined/);
      expect(drawn.filter((text) => text.includes('scale(0.83)'))).toHaveLength(6);
    }
    expect(figure.alternative).toContain('two: 2 clients');
  }
});
