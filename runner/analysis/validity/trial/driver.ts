import { fail, notAssessed, pass, percent, warn } from '../findings.ts';
import type { TrialCheck } from '../trial-check.ts';

const busy = { warn: 0.8, fail: 0.95 };

/** Whether the driver had time to spare. If not, the trial measures the driver. */
export const driver: TrialCheck = ({ measures }, { place }) => {
  const name = 'driver’s processors';
  const { 'driver.busy': share = null } = measures;
  if (share === null) return notAssessed(name, 'the driver was not observed');
  if (place === 'local') {
    // Servers and driver share the machine. Busy processors limit both, and do not show a wrong measurement.
    const words = `this machine’s processors were ${percent(share)} busy`;
    return share >= busy.fail
      ? warn(name, `${words}: they may be what limits, rather than what was varied`)
      : pass(name, words);
  }
  const words = `the driver’s processors were ${percent(share)} busy`;
  if (share >= busy.fail) return fail(name, `${words}: it is what was measured`, 'busy driver');
  return share >= busy.warn ? warn(name, words) : pass(name, words);
};
