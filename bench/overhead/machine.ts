import { cpus } from 'node:os';
import { median } from '../../runner/statistics/summaries.ts';

/** How quiet the machine was besides what was measured. */
export interface Quiet {
  /** Load averages of a minute. The one after the measurements has their own load in it. */
  loadBefore: number;
  loadAfter: number;
  /** Share of all processors that was busy before each measurement, while nothing of ours worked. */
  busyAtRest: readonly number[];
}

const [quietLoad, quietShare] = [0.5, 0.1];

/** Share of all processors, from 0 to 1, that is busy while it pauses. Waiting for a disk is not busy. */
export async function busyShareDuring(pause: () => Promise<void>, processors = cpus): Promise<number> {
  const before = timesOf(processors());
  await pause();
  const after = timesOf(processors());
  const all = after.all - before.all;
  return all > 0 ? (after.busy - before.busy) / all : 0;
}

/** Signs that something else was running, a sentence each. */
export function noiseWarnings({ loadBefore, busyAtRest }: Quiet): string[] {
  const usual = median(busyAtRest) ?? 0;
  return [
    ...(loadBefore > quietLoad
      ? [`something else was running before: the load average was ${loadBefore.toFixed(2)}.`]
      : []),
    ...(usual > quietShare
      ? [
          `something else was running meanwhile: between the measurements, ${(usual * 100).toFixed(0)}% of the processors were busy (median).`,
        ]
      : []),
  ];
}

function timesOf(processors: ReturnType<typeof cpus>): { busy: number; all: number } {
  const times = processors.map((one) => one.times);
  const busy = times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, 0);
  return { busy, all: busy + times.reduce((sum, { idle }) => sum + idle, 0) };
}
