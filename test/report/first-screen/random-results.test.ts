import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Result } from '../../../runner/contract/result.ts';
import { firstScreen } from '../../../runner/report/first-screen/model.ts';
import type { FirstScreen } from '../../../runner/report/first-screen/model.ts';
import { isClaim } from '../../../runner/report/answer/claims.ts';
import { reportOf } from '../../../runner/report/report-file.ts';
import { type Reported, reported } from '../../../runner/report/reported.ts';
import { repeats } from '../../helpers/repeats.ts';
import { changedSample } from '../../helpers/samples/changed-sample.ts';

const factor = fc.double({ min: -1.5, max: 2.5, noNaN: true }).map((power) => 2 ** power);
const latencies = ['latency.average', 'latency.p50', 'latency.p95', 'latency.p99', 'latency.p999'];

const world = fc.record({
  factors: fc.array(fc.oneof(fc.constant(1), factor), { minLength: 1, maxLength: 3 }),
  blocks: fc.integer({ min: 2, max: 12 }),
  metric: fc.constantFrom('tps', 'latency.p99', 'latency.average'),
  threshold: fc.constantFrom(0.001, 0.05, 0.5),
  /** What latencies of the candidates are, besides what follows from the throughput. */
  tails: fc.array(factor, { minLength: latencies.length, maxLength: latencies.length }),
  lost: fc.boolean(),
  seed: fc.integer({ min: 1, max: 1000 }),
});

type World = typeof world extends fc.Arbitrary<infer Drawn> ? Drawn : never;

async function resultOf(drawn: World): Promise<Result> {
  const { factors, blocks, metric, threshold, tails, lost, seed } = drawn;
  const variants = { base: 1, ...Object.fromEntries(factors.map((one, index) => [`v${index + 1}`, one])) };
  const decision = { metric, practicalThreshold: threshold };
  const options = { variants, blocks, seed, decision, ...(lost && { failedTrial: { block: 2, variant: 'v1' } }) };
  const { result } = await changedSample(options, ({ trials }) => {
    for (const trial of trials.filter((one) => one.conditions.variant !== 'base')) {
      const changed = latencies.map((name, index): [string, number | null] => {
        const value = trial.measures[name] ?? null;
        return [name, value === null ? null : value * (tails[index] ?? 1)];
      });
      trial.measures = { ...trial.measures, ...Object.fromEntries(changed) };
    }
  });
  return result;
}

/** Every number of an object, at any depth. */
function numbersOf(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(numbersOf);
}

/** Values in base units that a printed number may stand for: as it is, in percent, as a factor or its inverse, in ms. */
const scales: readonly ((value: number) => number)[] = [
  (value) => value,
  (value) => value * 100,
  (value) => (1 - value) * 100,
  (value) => 1 + value,
  (value) => 1 / (1 + value),
  (value) => value * 1000,
];

const numbersIn = (text: string): string[] =>
  (text.match(/\d[\d,]*(\.\d+)?/g) ?? []).map((number) => number.replaceAll(',', ''));

function isKnown(printed: string, known: readonly number[]): boolean {
  const value = Number(printed);
  const half = 0.5000001 / 10 ** (printed.split('.')[1]?.length ?? 0);
  return known.some((one) => scales.some((scaled) => Math.abs(Math.abs(scaled(one)) - value) <= half));
}

/** Texts of the parts that print figures. A row on its own is drawn without words. */
function textsIn({ answer, change, others, tradeOffs, price, time, settle }: FirstScreen): string[] {
  const rows = change?.baseline === null ? [] : (change?.rows ?? []);
  return [
    `${answer.lead} ${answer.range ?? ''} ${(answer.claims ?? []).map(({ words }) => words).join(' ')}`,
    ...rows.flatMap(({ words }) => Object.values(words)),
    ...[...others.better, ...others.worse].flatMap(({ before, after, change: size, range }) => [
      before,
      after,
      size,
      range,
    ]),
    ...price.flatMap(({ before, after, change: size, range }) => [before, after, size, range]),
    ...(tradeOffs?.rows ?? []).flatMap(({ cells }) => cells.map(({ value }) => value)),
    ...(settle?.rows ?? []).filter(({ chance }) => chance !== '').map(({ blocks }) => String(blocks)),
    ...(time ? time.rows.flatMap(({ before, after }) => [before, after]) : []),
  ];
}

function expectWhole(of: Reported): void {
  const { result } = of;
  const screen = firstScreen(of);
  const { answer, change, others, time, doubts } = screen;
  const { judged, controls } = of;

  // Every figure is in report.json; what was measured without a verdict is only in result.json.
  const report = reportOf(of);
  const withoutVerdict = result.comparisons.filter(({ primary, verdict }) => primary && !isClaim(verdict));
  // A cause, with its numbers, is a sentence there.
  const causes = report.answers.flatMap(({ withheld, evidence }) => [
    evidence,
    ...withheld.map(({ message }) => message),
  ]);
  const known = [
    ...numbersOf([report.answers, report.practicalThreshold, withoutVerdict]),
    ...causes.flatMap(numbersIn).map(Number),
  ];
  const names = judged.flatMap(({ of: { candidate, baseline } }) => [candidate.variant, baseline.variant]);
  const printed = textsIn(screen)
    .map((text) => names.reduce((left, name) => left.replaceAll(name, ''), text).replaceAll(/\bp\d+(\.\d+)?\b/g, ''))
    .flatMap(numbersIn);
  expect(printed.filter((number) => !isKnown(number, known))).toEqual([]);

  // Nothing stands twice.
  const rows = [...others.better, ...others.worse].map(({ who, metric }) => `${who} ${metric}`);
  expect(new Set(rows).size).toBe(rows.length);
  const plotted = change?.rows.map(({ name }) => name) ?? [];
  expect(new Set(plotted).size).toBe(plotted.length);
  expect(rows.length).toBeLessThanOrEqual(4);

  // No verdict is missing, and no colour stands without one.
  const verdicts = [...judged, ...controls]
    .map((one) => one.of.verdict)
    .filter((one) => one === 'better' || one === 'worse');
  const looks = change?.rows.map(({ look }) => look).filter((look) => look === 'better' || look === 'worse') ?? [];
  expect(looks.toSorted()).toEqual(verdicts.toSorted());
  for (const { words, verdict } of answer.claims ?? []) {
    expect(verdicts).toContain(verdict);
    expect(answer.headline).toContain(words);
  }
  if (judged.length === 1 && verdicts.length === 1) expect(answer.claims).toHaveLength(1);
  for (const { mayChange, sentence } of doubts) expect(`${mayChange}${sentence}`).not.toBe('');

  // Parts add up to the whole, as printed.
  const sum = (side: 'before' | 'after'): number =>
    (time?.rows ?? []).reduce((total, row) => total + Number(row[side].replaceAll(',', '')), 0);
  for (const side of ['before', 'after'] as const)
    if (time) expect(sum(side)).toBeCloseTo(Number(time.whole[side].replaceAll(',', '')), 6);
}

it(
  'a first screen prints what report.json has, each figure once, with every verdict and no colour without one, and parts that add up',
  { timeout: 600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(world, async (drawn) => expectWhole(reported(await resultOf(drawn)))),
      { numRuns: repeats(2000, 0.02), seed: 58 },
    );
  },
);
