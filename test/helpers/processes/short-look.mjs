// Preloaded into runs that are not about what else runs on this machine: they look around for a moment, and not twice for five
// seconds (runner/run/execution.ts).
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

const lookMilliseconds = 5000;
const { setTimeout: sleep } = timers;
const shortened = (/** @type {number | undefined} */ delay, /** @type {unknown[]} */ ...rest) =>
  sleep(delay === lookMilliseconds ? 200 : delay, ...rest);
timers.setTimeout = /** @type {typeof sleep} */ (shortened);
syncBuiltinESMExports();
