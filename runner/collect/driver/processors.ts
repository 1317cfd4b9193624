import { cpus } from 'node:os';
import type { Collector, Findings } from '../collector.ts';

/** The machine that the load generator runs on, at one moment. */
export interface DriverSnapshot {
  /** Unix time: what a clock step moves. */
  wallSeconds: number;
  /** From an unknown start: what nothing moves. */
  steadySeconds: number;
  /** Time of all processors together since the machine started. */
  busySeconds: number;
  processors: number;
}

/** How busy the driver was, and whether its clock was set: what times a load must have time to spare, and a steady clock. */
export const processors: Collector = {
  name: 'processors',
  optional: false,
  metrics: [
    {
      name: 'driver.busy',
      label: 'driver’s processors busy',
      unit: '1',
      kind: 'share',
      better: 'lower',
      compared: null,
      source: 'the operating system of the machine that puts the load on: time spent on anything at all',
    },
    {
      name: 'driver.clockStep',
      label: 'clock of the driver set by',
      unit: 's',
      kind: 'duration',
      better: 'lower',
      compared: null,
      hidden: true,
      source: 'wall clock less monotonic clock',
    },
  ],
  start() {
    const before = readDriver();
    return Promise.resolve({ stop: () => Promise.resolve(driverBetween(before, readDriver())) });
  },
};

function readDriver(): DriverSnapshot {
  // `idle` lacks the time spent waiting for disks on Linux, so that the whole is taken from the clock instead.
  const milliseconds = cpus().map(({ times: { user, nice, sys, irq } }) => user + nice + sys + irq);
  return {
    wallSeconds: Date.now() / 1000,
    steadySeconds: performance.now() / 1000,
    busySeconds: milliseconds.reduce((sum, one) => sum + one, 0) / 1000,
    processors: milliseconds.length,
  };
}

export function driverBetween(before: DriverSnapshot, after: DriverSnapshot): Findings {
  const steadySeconds = after.steadySeconds - before.steadySeconds;
  const available = steadySeconds * before.processors;
  return {
    measures: {
      'driver.busy': available > 0 ? Math.min(1, (after.busySeconds - before.busySeconds) / available) : null,
      'driver.clockStep': after.wallSeconds - before.wallSeconds - steadySeconds,
    },
  };
}
