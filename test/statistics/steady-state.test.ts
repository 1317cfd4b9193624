import { describe, expect, it } from 'vitest';
import { drawSeconds, seededRandom } from '../../bench/statistics/noise.ts';
import { assessSteadiness, commonCut, mser5 } from '../../runner/statistics/steady-state.ts';

const options = { fewestSeconds: 60, threshold: 0.05 };
const steady = (seconds: number, seed = 1) =>
  drawSeconds(0, seconds, seededRandom(seed)).map((value) => 1000 * Math.exp(value));

describe('the cut', () => {
  it('takes away a start that differs, and next to nothing where none does', () => {
    const started = steady(300).map((value, second) => value * (1 - 0.8 * Math.exp(-second / 10)));
    expect(mser5(started)).toBeGreaterThanOrEqual(20);
    expect(mser5(started)).toBeLessThanOrEqual(80);
  });
  it('is not known of a series that is too short, or has no steady part', () => {
    expect(mser5(steady(49))).toBeNull();
    expect(mser5(Array.from({ length: 200 }, (_, second) => second))).toBeNull();
  });
  it('is the largest of a block, and none where a trial has none', () => {
    expect(commonCut([5, 20, 0])).toBe(20);
    expect(commonCut([5, null])).toBeNull();
    expect(commonCut([])).toBe(0);
  });
});

describe('steadiness', () => {
  it('sees a rise that is large and beyond chance', () => {
    const rising = steady(300).map((value, second) => value * (1 + (0.2 * second) / 300));
    const { state, drift } = assessSteadiness(rising, options);
    expect(state).toBe('trending');
    expect(drift).toBeGreaterThan(0.1);
    expect(drift).toBeLessThan(0.25);
  });
  it('does not call a series trending that rises by less than matters', () => {
    const rising = steady(300).map((value, second) => value * (1 + (0.02 * second) / 300));
    expect(assessSteadiness(rising, options).state).toBe('steady');
  });
  it('calls noise trending in at most one of twenty', () => {
    const states = Array.from(
      { length: 300 },
      (_, seed) => assessSteadiness(steady(300, seed), { ...options, threshold: 0.0001 }).state,
    );
    expect(states.filter((state) => state === 'trending').length / states.length).toBeLessThan(0.08);
    expect(states.filter((state) => state === 'steady').length / states.length).toBeGreaterThan(0.7);
  });
  it('is not assessed of a series that is too short, stands still, or swings as a whole', () => {
    expect(assessSteadiness(steady(59), options)).toMatchObject({
      state: 'not assessed',
      reason: '59 s are too short to judge: 60 s are needed',
    });
    expect(assessSteadiness(new Array<number>(100).fill(0), options).state).toBe('not assessed');
    const swinging = Array.from({ length: 100 }, (_, second) => 1000 + 300 * Math.sin((2 * Math.PI * second) / 100));
    expect(assessSteadiness(swinging, options).state).toBe('not assessed');
  });
});
