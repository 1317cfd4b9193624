import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { normalVariate } from '../../runner/statistics/normal-variate.ts';

export type Random = () => number;

/** Draws numbers that are uniform from 0 to 1. The same seed gives the same numbers. */
export function seededRandom(seed: number): Random {
  const generator = xoroshiro128plus(seed);
  return () => uniformFloat64(generator);
}

/** How trials vary when nothing about them differs. `draw` gives the log-throughputs of `trials` trials in a row. */
export interface Noise {
  name: string;
  draw(trials: number, random: Random): number[];
}

const spread = 0.02;
/** Three published RDS runs in a row drifted by 7 to 12 %. */
const drift = Math.log(1.1);

export function normalNoise(standardDeviation: number): Noise {
  return {
    name: `independent, normal (${standardDeviation * 100} %)`,
    draw: (trials, random) => Array.from({ length: trials }, () => standardDeviation * normalVariate(random)),
  };
}

export const independent = normalNoise(spread);

export const noises: Noise[] = [
  independent,
  {
    name: 'drift of 10 % over the experiment',
    draw: (trials, random) => add(independent.draw(trials, random), rise(trials)),
  },
  {
    name: 'autocorrelated from trial to trial (AR(1), 0.7)',
    draw: (trials, random) => autoregressive(trials, 0.7, () => spread * normalVariate(random)),
  },
  {
    name: 'heavy tails (Student’s t, 2 degrees of freedom)',
    draw: (trials, random) => Array.from({ length: trials }, () => heavyTailed(random)),
  },
  {
    name: 'drift, autocorrelation and heavy tails together',
    draw: (trials, random) =>
      add(
        autoregressive(trials, 0.7, () => heavyTailed(random)),
        rise(trials),
      ),
  },
];

/**
 * Log-throughput of each second of a trial: it varies around the level of the trial, and each second depends on the one
 * before.
 */
export function drawSeconds(level: number, seconds: number, random: Random): number[] {
  return autoregressive(seconds, 0.6, () => 0.04 * normalVariate(random)).map((value) => level + value);
}

function rise(trials: number): number[] {
  return Array.from({ length: trials }, (_, index) => (drift * index) / (trials - 1));
}

/**
 * Student's t with two degrees of freedom has no variance. It is a normal variate divided by the root of an exponential one.
 */
function heavyTailed(random: Random): number {
  return (spread * normalVariate(random)) / Math.sqrt(-Math.log(1 - random()));
}

function autoregressive(length: number, correlation: number, innovation: () => number): number[] {
  let value = innovation() / Math.sqrt(1 - correlation ** 2);
  return Array.from({ length }, (_, index) => {
    if (index > 0) value = correlation * value + innovation();
    return value;
  });
}

function add(first: readonly number[], second: readonly number[]): number[] {
  return first.map((value, index) => value + (second[index] ?? 0));
}
