import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { normalVariate } from '../../runner/statistics/distributions.ts';

export type Random = () => number;

/** Draws numbers that are uniform from 0 to 1. The same seed leads to the same numbers. */
export function seededRandom(seed: number): Random {
  const generator = xoroshiro128plus(seed);
  return () => uniformFloat64(generator);
}

/** How trials vary if nothing about them differs. `draw` returns the log-throughputs of `trials` trials in a row. */
export interface Noise {
  name: string;
  draw(trials: number, random: Random): number[];
}

const spread = 0.02;
/** Three published RDS runs in a row drifted by 7 to 12%. */
const drift = Math.log(1.1);

export function normalNoise(standardDeviation: number): Noise {
  return {
    name: `independent, normal (${standardDeviation * 100}%)`,
    draw: (trials, random) => Array.from({ length: trials }, () => standardDeviation * normalVariate(random)),
  };
}

export const independent = normalNoise(spread);

export const drifting: Noise = {
  name: 'drift of 10% over the experiment',
  draw: (trials, random) => add(independent.draw(trials, random), rise(trials)),
};

function autocorrelated(correlation: number): Noise {
  return {
    name: `autocorrelated from trial to trial (AR(1), ${correlation})`,
    draw: (trials, random) => autoregressive(trials, correlation, () => spread * normalVariate(random)),
  };
}

export const heavy: Noise = {
  name: 'heavy tails (Student’s t, 2 degrees of freedom)',
  draw: (trials, random) => Array.from({ length: trials }, () => heavyTailed(random)),
};

export const everything: Noise = {
  name: 'drift, autocorrelation and heavy tails together',
  draw: (trials, random) =>
    add(
      autoregressive(trials, 0.7, () => heavyTailed(random)),
      rise(trials),
    ),
};

const randomWalk: Noise = {
  name: 'random walk (steps of 2%)',
  draw: (trials, random) => {
    let value = 0;
    return Array.from({ length: trials }, () => (value += spread * normalVariate(random)));
  },
};

/** Something that recurs, such as a backup or a neighbour's job, and begins at any time. Trials also vary as usual. */
export function periodic(period: number): Noise {
  return {
    name: `periodic disturbance (5% up and down), a period of ${period} trials`,
    draw: (trials, random) => {
      const phase = random();
      const wave = (trial: number): number => Math.log1p(0.05 * Math.sin(2 * Math.PI * (trial / period + phase)));
      return independent.draw(trials, random).map((value, trial) => value + wave(trial));
    },
  };
}

/** Whatever is measured second in its block is slower, for experiments of two variants. */
export const secondIsSlower: Noise = {
  name: 'place: the second of a block is 5% slower',
  draw: (trials, random) =>
    independent.draw(trials, random).map((value, trial) => value + (trial % 2 === 1 ? Math.log(0.95) : 0)),
};

export const stalling: Noise = {
  name: 'asymmetric tails: one trial in ten loses 30%',
  draw: (trials, random) =>
    independent.draw(trials, random).map((value) => value + (random() < 0.1 ? Math.log(0.7) : 0)),
};

/** The same series each time, such as one that is worst for some way of drawing orders. */
export function always(name: string, values: readonly number[]): Noise {
  return { name, draw: () => [...values] };
}

/** The five that the tables on stopping and on the old way show. */
export const fewNoises: Noise[] = [independent, drifting, autocorrelated(0.7), heavy, everything];

export const noises: Noise[] = [
  independent,
  drifting,
  autocorrelated(0.7),
  autocorrelated(0.95),
  randomWalk,
  periodic(2.75),
  secondIsSlower,
  heavy,
  stalling,
  everything,
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
