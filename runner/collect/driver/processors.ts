import { cpus } from 'node:os';

/** The machine that the load generator runs on, at one moment. */
export interface DriverSnapshot {
  /** Unix time: what a clock step moves. */
  wallSeconds: number;
  /** From an unknown start: what nothing moves. */
  steadySeconds: number;
  /** Of all processors together, since the machine started. */
  busySeconds: number;
  processors: number;
}

/** What the driver went through during one trial. */
export interface DriverObservation {
  /** Share of all processors' time that was spent on anything at all, 0 to 1; null where nobody can tell. */
  busyShare: number | null;
  /** By how much the clock was set forward (or back, below zero) in between. */
  clockStepSeconds: number;
}

export function readDriver(): DriverSnapshot {
  // `idle` lacks the time spent waiting for disks on Linux, so that the whole is taken from the clock instead.
  const milliseconds = cpus().map(({ times: { user, nice, sys, irq } }) => user + nice + sys + irq);
  return {
    wallSeconds: Date.now() / 1000,
    steadySeconds: performance.now() / 1000,
    busySeconds: milliseconds.reduce((sum, one) => sum + one, 0) / 1000,
    processors: milliseconds.length,
  };
}

export function driverBetween(before: DriverSnapshot, after: DriverSnapshot): DriverObservation {
  const steadySeconds = after.steadySeconds - before.steadySeconds;
  const available = steadySeconds * before.processors;
  return {
    busyShare: available > 0 ? Math.min(1, (after.busySeconds - before.busySeconds) / available) : null,
    clockStepSeconds: after.wallSeconds - before.wallSeconds - steadySeconds,
  };
}
