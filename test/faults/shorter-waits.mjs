// Preloaded into a run: what waits for a minute or more, such as the next try of a load, or the end of a trial that hangs, waits
// for some seconds. Everything shorter is as it is.
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

const longMilliseconds = 60_000;
/** A watchdog waits two minutes longer than what it watches over; here as long as a load may be late on a machine that is busy. */
const watchdogMilliseconds = 120_000;
const busySeconds = 12;

const shorter = (milliseconds) =>
  milliseconds < longMilliseconds
    ? milliseconds
    : milliseconds >= watchdogMilliseconds && milliseconds < 2 * watchdogMilliseconds
      ? milliseconds - watchdogMilliseconds + busySeconds * 1000
      : 1500;

const { setTimeout: pause } = timers;
timers.setTimeout = (milliseconds, ...rest) => pause(milliseconds < longMilliseconds ? milliseconds : 1500, ...rest);
const later = globalThis.setTimeout;
globalThis.setTimeout = (work, milliseconds, ...rest) => later(work, shorter(milliseconds), ...rest);
syncBuiltinESMExports();
