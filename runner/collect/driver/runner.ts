import { monitorEventLoopDelay } from 'node:perf_hooks';
import { capacity } from '../../machine/capacity.ts';
import type { Collector } from '../collector.ts';
import { metric } from '../metric.ts';

const stall = metric('seconds', 'driver.runnerStall', 'runner stalled for', {
  hidden: true,
  source: 'longest delay of a timer of the runner, from before the load began until it had ended',
});
const taken = metric('share', 'driver.runnerProcessors', 'driver CPU used by pgduet itself', {
  hidden: true,
  source: 'processor time of the runner itself, as a share of the processors that it may use',
});
const window = metric('seconds', 'driver.window', 'counters of the driver cover', {
  hidden: true,
  source: 'from before the first look at the counters of the driver and its volumes to after the last one',
});

/** Resolution of the measured delays. */
const resolutionMs = 20;

/**
 * Whether the runner stood still, and how much of its machine it took. It encloses the sources that count on this
 * machine, so its window is at least as wide as theirs. A rate over a window that is wider than the load is diluted.
 */
export const runner: Collector = {
  name: 'runner',
  optional: false,
  metrics: [stall, taken, window],
  start() {
    const delays = monitorEventLoopDelay({ resolution: resolutionMs });
    delays.enable();
    // The wall clock, because the load is timed by it, too.
    const [began, used] = [Date.now(), process.cpuUsage()];
    return Promise.resolve({
      stop() {
        delays.disable();
        const seconds = (Date.now() - began) / 1000;
        const { user, system } = process.cpuUsage(used);
        const share = (user + system) / 1e6 / (seconds * capacity().processors);
        const longest = delays.max / 1e9 - resolutionMs / 1000;
        return Promise.resolve({
          measures: {
            [stall.name]: Math.max(0, longest),
            [taken.name]: seconds > 0 ? Math.min(1, share) : null,
            [window.name]: seconds,
          },
        });
      },
    });
  },
};
