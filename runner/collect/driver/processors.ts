import { cpus } from 'node:os';
import type { Collector, Findings } from '../collector.ts';

/** Clocks and processors of the driver at one moment. */
export interface DriverSnapshot {
  /** Unix time: it changes when somebody sets the clock. */
  wallSeconds: number;
  /** Monotonic time since some moment: it does not change when somebody sets the clock. */
  steadySeconds: number;
  /** Busy time of all processors together since the machine started. */
  busySeconds: number;
  processors: number;
}

/**
 * How busy the driver was, and whether its clock was set. To time a load, a driver needs spare capacity and a steady
 * clock.
 */
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
      source: 'the operating system of the machine that generates the load: time spent on anything at all',
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
  // On Linux, `idle` does not include the time spent waiting for disks. So the total time comes from the clock instead.
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
