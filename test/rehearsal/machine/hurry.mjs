// Preloaded into Node.js if a rehearsal would wait for minutes: a pause takes a thirtieth of its time (HURRY_FACTOR
// says otherwise), and then the clock jumps to the time at which the pause would have ended. Nothing that is measured may run with it.
import timers from 'node:timers/promises';
import { syncBuiltinESMExports } from 'node:module';

const factor = Number(process.env['HURRY_FACTOR'] ?? 30);
const RealDate = Date;
let aheadMilliseconds = 0;

globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [Date.now()] : args));
  }
  static now() {
    return RealDate.now() + aheadMilliseconds;
  }
};

const { setTimeout: pause } = timers;
timers.setTimeout = async (milliseconds, ...rest) => {
  const end = Date.now() + milliseconds;
  const value = await pause(milliseconds / factor, ...rest);
  aheadMilliseconds = Math.max(aheadMilliseconds, end - RealDate.now());
  return value;
};
syncBuiltinESMExports();
