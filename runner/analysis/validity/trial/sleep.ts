import { pass, type TrialCheck, warn } from '../check.ts';
import { wholePercent } from '../../../contract/format.ts';

/** Share of all processors. */
const idle = 0.1;

/**
 * Whether processors may have slept between transactions. To wake one up takes time, on virtual machines more than a
 * short transaction itself. So whatever keeps processors busy, such as a server that polls, then looks faster.
 */
export const sleep: TrialCheck = {
  id: 'sleeping-processors',
  name: 'sleeping CPUs',
  remedy: 'Use more clients, or let this user open /dev/cpu_dma_latency, then rerun.',
  judge: ({ measures }, { place }) => {
    const { 'driver.awake': awake = null, 'driver.busy': busy = null } = measures;
    if (awake === null || busy === null || !place.sharesMachine) return null;
    if (awake === 1) return pass('pgduet kept them awake');
    const words = `${wholePercent(1 - busy)} of this machine’s CPUs were idle`;
    return 1 - busy < idle
      ? pass(words)
      : warn(
          `${words} and may have slept between transactions, so a variant that only keeps them busy looks faster: use more clients, or let this user open /dev/cpu_dma_latency`,
        );
  },
};
