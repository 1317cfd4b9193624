import { mean } from '../../runner/statistics/summaries.ts';
import { assessSteadiness } from '../../runner/statistics/steadiness.ts';
import { mser5, startThatDiffers } from '../../runner/statistics/steady-state.ts';
import { type Random, seededRandom } from './noise.ts';
import type { Count, Table } from './table.ts';
import { ar1, halfWhite, type LevelDraw, levels, type SecondsNoise } from './trial-seconds.ts';

interface TrialCase {
  name: string;
  noise: SecondsNoise;
  level: LevelDraw;
  seconds: number;
  /** Whether a change should be named. */
  changes: boolean;
}

/** Standard deviation of a second, as a share of the level that the trial has without a change. */
const spread = 0.1;
const [long, quick] = [600, 10];
/** The whole seconds of a trial of ten seconds, which starts and ends in mid-second. */
const wholeOfQuick = 9;
/** The practical threshold by default, and `checkpoint_timeout`: PostgreSQL's default, and what quick sets. */
const optionsFor = (seconds: number) => ({ threshold: 0.05, minSeconds: seconds === long ? 300 : 30 });

const [white, wandering] = [ar1(0), ar1(0.95)];
const { same, warmUp, curvedWarmUp, creditsRunOut, step, stall, fallInThirdSecond, mixedFallInThirdSecond } = levels;

// prettier-ignore
export const trialCases: TrialCase[] = [
  { name: 'white noise', noise: white, level: same, seconds: long, changes: false },
  { name: 'AR(1), 0.6', noise: ar1(0.6), level: same, seconds: long, changes: false },
  { name: 'AR(1), 0.95', noise: wandering, level: same, seconds: long, changes: false },
  { name: 'AR(1), 0.95, and white noise, half each', noise: halfWhite, level: same, seconds: long, changes: false },
  { name: 'white noise, and a stall of 15 s in mid-trial', noise: white, level: stall, seconds: long, changes: false },
  { name: 'AR(1), 0.95, and a stall of 15 s in mid-trial', noise: wandering, level: stall, seconds: long, changes: false },
  { name: 'white noise', noise: white, level: same, seconds: quick, changes: false },
  { name: 'AR(1), 0.6', noise: ar1(0.6), level: same, seconds: quick, changes: false },
  { name: 'AR(1), 0.95', noise: wandering, level: same, seconds: quick, changes: false },
  { name: 'warm-up from 60% in half of the trial, straight', noise: white, level: warmUp, seconds: long, changes: true },
  { name: 'the same, slower towards its end', noise: white, level: curvedWarmUp, seconds: long, changes: true },
  { name: 'credits run out in the second half: 60% from then on', noise: white, level: creditsRunOut, seconds: long, changes: true },
  { name: 'step to 60% at any second', noise: white, level: step, seconds: long, changes: true },
  { name: 'straight warm-up, in AR(1), 0.95', noise: wandering, level: warmUp, seconds: long, changes: true },
  { name: 'credits run out, in AR(1), 0.95', noise: wandering, level: creditsRunOut, seconds: long, changes: true },
  { name: 'step to 60%, in AR(1), 0.95', noise: wandering, level: step, seconds: long, changes: true },
  { name: 'fall to 60% from the third second on', noise: white, level: fallInThirdSecond, seconds: quick, changes: true },
  { name: 'fall to 60% within the third second', noise: white, level: mixedFallInThirdSecond, seconds: wholeOfQuick, changes: true },
];

/** Simulates trials by the second: which changes within them are named, and what MSER-5 cuts. */
export function benchWithinATrial(rate: (count: Count) => string, series = 10_000): Table[] {
  return [steadinessTable(rate, series), cutTable(series)];
}

/** Throughput by the second, never below zero. */
export function drawTrial({ noise, level, seconds }: Omit<TrialCase, 'name' | 'changes'>, random: Random) {
  const levelAt = level(seconds, random);
  return noise(seconds, random).map((value, second) => {
    const now = levelAt(second);
    return now === 0 ? 0 : Math.max(0, now + spread * value);
  });
}

/** In how many series of a case a change is named. */
export function countNamed(of: TrialCase, series: number): Count {
  const random = seededRandom(of.seconds);
  let hits = 0;
  for (let drawn = 0; drawn < series; drawn++) {
    if (assessSteadiness(drawTrial(of, random), optionsFor(of.seconds)).change !== null) hits++;
  }
  return { hits, experiments: series };
}

function steadinessTable(rate: (count: Count) => string, series: number): Table {
  return {
    title: '**Within a trial: how often a change of throughput is named** (a second varies by 10%)',
    head: ['series', 'seconds', 'there is a change', 'named'],
    rows: trialCases.map((of) => [
      of.name,
      String(of.seconds),
      of.changes ? 'yes' : 'no',
      rate(countNamed(of, series)),
    ]),
  };
}

export const cutCases: { name: string; noise: SecondsNoise; level: LevelDraw }[] = [
  { name: 'white noise', noise: white, level: same },
  { name: 'a stall of 15 s, from second 240 on', noise: white, level: levels.stallAt240 },
  { name: 'a stall of 15 s in the first half', noise: white, level: levels.stallInFirstHalf },
  { name: 'a start of 40 s at half the level', noise: white, level: levels.slowStart },
  { name: 'both', noise: white, level: levels.slowStartAndStall },
  { name: 'a start that rises, with a time constant of 20 s', noise: white, level: levels.risingStart },
  { name: 'the same, and a stall', noise: white, level: levels.risingStartAndStall },
  { name: 'AR(1), 0.95, and a stall', noise: wandering, level: levels.stallInFirstHalf },
];

/** Seconds that MSER-5 cuts from series of 600, as published and guarded. null counts as none. */
export function cutsOf(of: (typeof cutCases)[number], series: number): { published: number[]; guarded: number[] } {
  const random = seededRandom(1);
  const drawn = Array.from({ length: series }, () => drawTrial({ ...of, seconds: long }, random));
  return { published: drawn.map((one) => mser5(one) ?? 0), guarded: drawn.map((one) => startThatDiffers(one) ?? 0) };
}

function cutTable(series: number): Table {
  return {
    title: '**Within a trial: what MSER-5 cuts of 600 s** (mean, and the middle 90%)',
    head: ['series', 'as published', 'guarded against stalls'],
    rows: cutCases.map((of) => {
      const { published, guarded } = cutsOf(of, series);
      return [of.name, spanOf(published), spanOf(guarded)];
    }),
  };
}

function spanOf(cuts: readonly number[]): string {
  const sorted = [...cuts].sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? NaN;
  return `${mean(sorted).toFixed(0)} s (${at(0.05)} to ${at(0.95)})`;
}
