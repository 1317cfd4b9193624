import { describe, expect, test } from 'vitest';
import { driverBetween, readDriver } from '../../runner/collect/driver/processors.ts';

const before = { wallSeconds: 1000, steadySeconds: 50, busySeconds: 300, processors: 4 };

describe('the driver between two moments', () => {
  test('was busy for a share of what all its processors had', () => {
    const after = { ...before, wallSeconds: 1010, steadySeconds: 60, busySeconds: 310 };
    expect(driverBetween(before, after)).toEqual({ busyShare: 0.25, clockStepSeconds: 0 });
  });

  test('had its clock set by what wall and steady time differ in, either way', () => {
    const after = (wallSeconds: number) => ({ ...before, wallSeconds, steadySeconds: 60 });
    expect(driverBetween(before, after(1013)).clockStepSeconds).toBe(3);
    expect(driverBetween(before, after(1006)).clockStepSeconds).toBe(-4);
  });

  test('is not judged where no time passed, nor ever busier than wholly', () => {
    expect(driverBetween(before, before).busyShare).toBeNull();
    expect(driverBetween(before, { ...before, steadySeconds: 51, busySeconds: 305 }).busyShare).toBe(1);
  });

  test('is read from the machine: processors that work are busy', () => {
    const start = readDriver();
    for (const end = performance.now() + 300; performance.now() < end;);
    const { busyShare, clockStepSeconds } = driverBetween(start, readDriver());
    expect(busyShare).toBeGreaterThan(0.5 / start.processors);
    expect(Math.abs(clockStepSeconds)).toBeLessThan(0.5);
  });
});
