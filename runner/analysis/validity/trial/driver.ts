import { fail, notAssessed, pass, type TrialCheck, warn } from '../check.ts';
import { wholePercent } from '../../../contract/format.ts';

const busy = { warn: 0.8, fail: 0.95 };
/** Shares of what the load generator does without a server. Above half of it, its own work takes most of a transaction. */
const near = { warn: 0.5, fail: 0.8 };
/**
 * Share of the time that the load generator's threads worked. Beyond it, transactions wait for them, however large the
 * driver is.
 */
const threadsBusy = 0.95;

/** Whether the driver had time to spare. If not, the trial measures the driver. */
export const driver: TrialCheck = {
  id: 'drivers-processors',
  name: 'driver CPU',
  remedy: 'Use a larger driver or fewer clients.',
  needsEdit: true,
  judge: ({ measures }, { place }) => {
    const { 'driver.busy': share = null } = measures;
    if (share === null) return notAssessed('the driver was not observed');
    const threads = measures['driver.loadGeneratorBusy'] ?? 0;
    const threadsFull = `the load generator’s threads were ${wholePercent(threads)} busy, and transactions waited for them: give it more threads`;
    if (place.sharesMachine) {
      if (threads >= threadsBusy) return warn(threadsFull);
      // Servers and driver share the machine. Busy processors limit both, and do not show a wrong measurement.
      const words = `this machine’s CPUs were ${wholePercent(share)} busy`;
      return share >= busy.fail ? warn(`${words}: CPU, not the tested setting, may be the bottleneck`) : pass(words);
    }
    const { tps = null, 'load.ceiling': ceiling = null } = measures;
    const reached = tps === null || !ceiling ? 0 : tps / ceiling;
    const words = `the driver’s CPUs were ${wholePercent(share)} busy${reached > near.warn ? `, and TPS is ${wholePercent(reached)} of what the load generator reaches without a server` : ''}`;
    if (threads >= threadsBusy) return fail(threadsFull, 'busy-driver');
    if (reached > near.fail) return fail(`${words}: the trial measured the driver`, 'busy-driver');
    if (share >= busy.fail) return fail(`${words}: the trial measured the driver`, 'busy-driver');
    return share >= busy.warn || reached > near.warn ? warn(words) : pass(words);
  },
};
