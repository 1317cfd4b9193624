// Preloaded into a run: on SIGUSR2, somebody sets the clock five seconds ahead, as far as the run can see. The machine's own clock
// is left alone.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const stepMs = 5000;
let setAt = Infinity;
const real = Date.now.bind(Date);
const now = () => (real() >= setAt ? real() + stepMs : real());
globalThis.Date = new Proxy(Date, {
  construct: (target, args) => /** @type {Date} */ (Reflect.construct(target, args.length === 0 ? [now()] : args)),
  get: (target, name) => (name === 'now' ? now : /** @type {unknown} */ (Reflect.get(target, name))),
});
fs.fstatSync = new Proxy(fs.fstatSync, {
  apply(target, self, args) {
    const found = /** @type {fs.Stats} */ (Reflect.apply(target, self, args));
    if (found.mtimeMs >= setAt) found.mtimeMs += stepMs;
    return found;
  },
});
syncBuiltinESMExports();
process.on('SIGUSR2', () => (setAt = real()));
