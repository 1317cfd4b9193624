import { normalVariate } from '../../runner/statistics/distributions.ts';
import type { Random } from './noise.ts';

/** Noise of this many seconds in a row, each with a mean of 0 and a standard deviation of 1. */
export type SecondsNoise = (seconds: number, random: Random) => number[];
/** Draws where the level of a trial changes. Returns the level at each second, from 0; without a change, it is 1. */
export type LevelDraw = (seconds: number, random: Random) => (second: number) => number;

/** Each second depends on the one before. */
export function ar1(correlation: number): SecondsNoise {
  const innovation = Math.sqrt(1 - correlation ** 2);
  return (seconds, random) => {
    let value = normalVariate(random);
    return Array.from({ length: seconds }, (_, second) => {
      if (second > 0) value = correlation * value + innovation * normalVariate(random);
      return value;
    });
  };
}

/** Half of the variance wanders, and half is independent from second to second. */
export const halfWhite: SecondsNoise = (seconds, random) => {
  const wandering = ar1(0.95)(seconds, random);
  return wandering.map((value) => (value + normalVariate(random)) / Math.SQRT2);
};

const changed = 0.6;
const stallSeconds = 15;
const drawSecond = (from: number, to: number, random: Random): number => from + Math.floor(random() * (to - from));
const stalling = (from: number) => (second: number) => (second >= from && second < from + stallSeconds ? 0 : 1);
const slowStart = (second: number) => (second < 40 ? 0.5 : 1);
const risingStart = (second: number) => 1 - 0.6 * Math.exp(-second / 20);
const inFirstHalf = (seconds: number, random: Random) => drawSecond(100, seconds / 2 - stallSeconds, random);

export const levels = {
  same: () => () => 1,
  warmUp: (seconds) => (second) => Math.min(1, changed + ((1 - changed) * 2 * second) / seconds),
  curvedWarmUp: (seconds) => (second) => 1 - (1 - changed) * Math.exp((-6 * second) / seconds),
  creditsRunOut: (seconds, random) => stepAt(drawSecond(seconds / 2, seconds, random)),
  step: (seconds, random) => stepAt(drawSecond(1, seconds, random)),
  stall: (seconds, random) => stalling(drawSecond(100, seconds - 100, random)),
  fallInThirdSecond: () => stepAt(2),
  /** The trial starts in mid-second of the clock, and the level falls in mid-second, too. */
  mixedFallInThirdSecond: (_, random) => {
    const fallsAt = 1 + random() + random();
    return (second) => changed + (1 - changed) * Math.min(1, Math.max(0, fallsAt - second));
  },
  stallAt240: () => stalling(240),
  stallInFirstHalf: (seconds, random) => stalling(inFirstHalf(seconds, random)),
  slowStart: () => slowStart,
  slowStartAndStall: (seconds, random) => both(slowStart, stalling(inFirstHalf(seconds, random))),
  risingStart: () => risingStart,
  risingStartAndStall: (seconds, random) => both(risingStart, stalling(inFirstHalf(seconds, random))),
} satisfies Record<string, LevelDraw>;

function stepAt(index: number) {
  return (second: number): number => (second < index ? 1 : changed);
}

function both(one: (second: number) => number, other: (second: number) => number) {
  return (second: number): number => one(second) * other(second);
}
