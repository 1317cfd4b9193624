import { closeSync, openSync, writeSync } from 'node:fs';
import { metric } from '../metric.ts';

/** While a process keeps this file open, no processor falls into a sleep that takes longer to wake from (Linux, PM QoS). */
const file = '/dev/cpu_dma_latency';

export const awakeMetrics = [
  metric('count', 'driver.awake', 'CPUs of this machine kept awake', {
    better: 'higher',
    hidden: true,
    source: `1 if ${file} was held at 0 microseconds from the reset to the end of the trial, 0 if it cannot be opened`,
  }),
];

/** What keeps the processors of this machine awake. */
export interface Awake {
  /** False if this machine or this user cannot. */
  isHeld: boolean;
  release(): void;
}

/**
 * Keeps the processors of this machine from sleeping until it is released, or the process ends. A processor that sleeps
 * between two transactions takes time to wake up, so that whatever keeps it busy, such as another program, makes a load
 * of few clients several times as fast.
 */
export function keepAwake(): Awake {
  let handle: number | null = null;
  try {
    handle = openSync(file, 'r+');
    writeSync(handle, Buffer.alloc(4));
  } catch {
    // Only root, or a group that the administrator chose, may open it.
    if (handle !== null) closeSync(handle);
    return { isHeld: false, release: () => undefined };
  }
  const held = handle;
  return { isHeld: true, release: () => closeSync(held) };
}
