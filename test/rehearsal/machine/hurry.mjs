// Preloaded into Node where a rehearsal would wait for minutes: its clock, and the pauses that go by it, run thirty times as
// fast. Nothing that is measured may run with it.
import timers from 'node:timers/promises';
import { syncBuiltinESMExports } from 'node:module';

const factor = 30;
const start = Date.now();
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [Date.now()] : args));
  }
  static now() {
    return start + (RealDate.now() - start) * factor;
  }
};
const { setTimeout: pause } = timers;
timers.setTimeout = (milliseconds, ...rest) => pause(milliseconds / factor, ...rest);
syncBuiltinESMExports();
