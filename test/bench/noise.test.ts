import { expect, it } from 'vitest';
import { welchDiffers } from '../../bench/statistics/experiments.ts';
import { normalNoise, noises, periodic, secondIsSlower, seededRandom } from '../../bench/statistics/noise.ts';
import { chanceOfExcludingZero, worstDisturbance } from '../../bench/statistics/worst-disturbance.ts';
import { mean, quantile, variance } from '../../runner/statistics/summaries.ts';
import { studentTails } from '../../runner/statistics/distributions.ts';

const named = (part: string) => {
  const found = noises.find(({ name }) => name.includes(part));
  if (!found) throw new Error(`no noise ${part}`);
  return found;
};
const many = 20_000;
const deviation = (values: readonly number[]): number => Math.sqrt(variance(values) ?? NaN);
const steps = (values: readonly number[]): number[] =>
  values.slice(1).map((value, index) => value - (values[index] ?? 0));

it('independent noise has the spread that it names', () => {
  expect(deviation(normalNoise(0.03).draw(many, seededRandom(1)))).toBeCloseTo(0.03, 3);
});

it.each([0.7, 0.95])(
  'noise that is autocorrelated by %d has steps of 2% besides, and a level spread from the start',
  (by) => {
    const noise = named(`AR(1), ${by})`);
    const values = noise.draw(many, seededRandom(1));
    const innovations = values.slice(1).map((value, index) => value - by * (values[index] ?? 0));
    expect(deviation(innovations)).toBeCloseTo(0.02, 3);
    const random = seededRandom(2);
    const starts = Array.from({ length: many }, () => noise.draw(1, random)[0] ?? 0);
    expect(deviation(starts) / (0.02 / Math.sqrt(1 - by ** 2))).toBeCloseTo(1, 1);
  },
);

it('a random walk has independent steps of 2%', () => {
  const walked = steps(named('random walk').draw(many, seededRandom(1)));
  expect(deviation(walked)).toBeCloseTo(0.02, 3);
  expect(mean(steps(walked).map((step) => step ** 2)) / (2 * 0.02 ** 2)).toBeCloseTo(1, 1);
});

it('drift is 10% from the first trial to the last', () => {
  const random = seededRandom(1);
  const rises = Array.from({ length: 5000 }, () => {
    const values = named('drift of 10%').draw(12, random);
    return (values[11] ?? 0) - (values[0] ?? 0);
  });
  expect(mean(rises)).toBeCloseTo(Math.log(1.1), 2);
});

it('a periodic disturbance is 5% up and down, begins anywhere, and returns after its period', () => {
  const random = seededRandom(1);
  const experiments = Array.from({ length: 5000 }, () => periodic(3).draw(4, random));
  expect(deviation(experiments.map(([first = 0]) => first))).toBeCloseTo(Math.sqrt(0.02 ** 2 + 0.05 ** 2 / 2), 3);
  expect(deviation(experiments.map(([first = 0, , , fourth = 0]) => fourth - first))).toBeCloseTo(0.02 * Math.SQRT2, 2);
});

it('the second place costs 5%', () => {
  const values = secondIsSlower.draw(many, seededRandom(1));
  const meanAt = (place: number): number => mean(values.filter((_, index) => index % 2 === place));
  expect(meanAt(1) - meanAt(0)).toBeCloseTo(Math.log(0.95), 2);
});

it('heavy tails are those of Student’s t with two degrees of freedom', () => {
  const values = named('heavy tails (')
    .draw(many, seededRandom(1))
    .map((value) => value / 0.02);
  // SciPy: stats.t(2).ppf([0.75, 0.975])
  expect(quantile(values, 0.75)).toBeCloseTo(0.8165, 1);
  expect((quantile(values, 0.975) ?? 0) / 4.3027).toBeCloseTo(1, 1);
});

it('one trial in ten loses 30%', () => {
  const values = named('asymmetric').draw(many, seededRandom(1));
  const low = values.filter((value) => value < Math.log(0.85));
  expect(low.length / many).toBeCloseTo(0.1, 2);
  expect(mean(low)).toBeCloseTo(Math.log(0.7), 2);
});

it('Welch’s test agrees with SciPy', () => {
  // SciPy: 2 * stats.t(df).sf(t)
  expect(studentTails(4.302652729911275, 2)).toBeCloseTo(0.05, 4);
  expect(studentTails(2.5705818366147395, 5)).toBeCloseTo(0.05, 6);
  expect(studentTails(1.9666124, 358)).toBeCloseTo(0.05, 5);
  // stats.ttest_ind([1, 2, 3], [b, b + 1, b + 2], equal_var=False): the limit is 4 degrees of freedom.
  const limit = 2.7764451051977987 * Math.sqrt(2 / 3);
  expect(
    welchDiffers(
      [1, 2, 3],
      [1, 2, 3].map((value) => value + limit + 0.001),
    ),
  ).toBe(true);
  expect(
    welchDiffers(
      [1, 2, 3],
      [1, 2, 3].map((value) => value + limit - 0.001),
    ),
  ).toBe(false);
});

it.each([
  [6, 0.1],
  [8, 6 / 70],
])('of %d blocks, the worst disturbance for balanced orders is found: %d', (blocks, chance) => {
  const { balanced, coins, trials } = worstDisturbance(blocks, 0.95);
  const all = Array.from({ length: 2 ** blocks }, (_, mask) =>
    chanceOfExcludingZero(
      Array.from({ length: blocks }, (__, bit) => ((mask >> bit) & 1) === 1),
      0.95,
    ),
  );
  expect(balanced).toBeCloseTo(chance, 12);
  expect(balanced).toBeCloseTo(Math.max(...all), 12);
  expect(coins).toBeLessThanOrEqual(0.05);
  expect(trials).toHaveLength(2 * blocks);
});
