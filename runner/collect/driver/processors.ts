import { cpus } from 'node:os';
import { capacity } from '../../machine/capacity.ts';
import type { Collector, Findings } from '../collector.ts';
import { metric } from '../metric.ts';
import { readProcessorTimes } from './proc.ts';

/** Clocks and processors of the driver at one moment. */
export interface DriverSnapshot {
  /** Unix time: it changes when somebody sets the clock. */
  wallSeconds: number;
  /** Monotonic time since some moment: it does not change when somebody sets the clock. */
  steadySeconds: number;
  /** Busy time of all processors that pgduet may use together, since the machine started. */
  busySeconds: number;
  processors: number;
  /** What the control group with the lowest quota of processors has taken so far; absent without a quota. */
  quotaUse?: { usedSeconds: number; processors: number };
}

/**
 * How busy the driver was, and whether its clock was set. To time a load, a driver needs spare capacity and a steady
 * clock.
 */
export const processors: Collector = {
  name: 'processors',
  optional: false,
  metrics: [
    metric('share', 'driver.busy', 'driver CPU busy', {
      source:
        'the operating system of the machine that generates the load: time that the processors that pgduet may use spent on anything at all; or the part of a lower quota of its control group that was used, if that is more',
    }),
    metric('seconds', 'driver.clockStep', 'driver clock step', {
      hidden: true,
      source: 'wall clock less monotonic clock',
    }),
  ],
  start() {
    const before = readDriver();
    return Promise.resolve({ stop: () => Promise.resolve(driverBetween(before, readDriver())) });
  },
};

function readDriver(): DriverSnapshot {
  const { quota } = capacity();
  const usedSeconds = quota?.usedSeconds() ?? null;
  return {
    wallSeconds: Date.now() / 1000,
    // On Linux, `idle` does not include the time spent waiting for disks. So the total time comes from the clock instead.
    steadySeconds: performance.now() / 1000,
    ...busyProcessors(),
    ...(quota && usedSeconds !== null && { quotaUse: { usedSeconds, processors: quota.processors } }),
  };
}

function busyProcessors(): Pick<DriverSnapshot, 'busySeconds' | 'processors'> {
  const times = readProcessorTimes();
  if (times) return { busySeconds: times.user + times.system, processors: times.processors };
  const milliseconds = cpus().map(({ times: { user, nice, sys, irq } }) => user + nice + sys + irq);
  return { busySeconds: milliseconds.reduce((sum, one) => sum + one, 0) / 1000, processors: milliseconds.length };
}

export function driverBetween(before: DriverSnapshot, after: DriverSnapshot): Findings {
  const steadySeconds = after.steadySeconds - before.steadySeconds;
  const machineShare = (after.busySeconds - before.busySeconds) / (steadySeconds * before.processors);
  const quotaShare =
    before.quotaUse && after.quotaUse
      ? (after.quotaUse.usedSeconds - before.quotaUse.usedSeconds) / (steadySeconds * before.quotaUse.processors)
      : 0;
  const busy = Math.max(machineShare, quotaShare);
  return {
    measures: {
      'driver.busy': Number.isFinite(busy) ? Math.min(1, busy) : null,
      'driver.clockStep': after.wallSeconds - before.wallSeconds - steadySeconds,
    },
  };
}
