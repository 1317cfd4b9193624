import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CollectedTrial } from '../../../runner/collect/collector.ts';
import { runner } from '../../../runner/collect/driver/runner.ts';

/** As SIGSTOP does: nothing of this process goes on. */
const standStill = (seconds: number): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, seconds * 1000);

async function measuresWhile(work: () => void) {
  const collection = await runner.start?.({} as CollectedTrial);
  await sleep(100);
  work();
  await sleep(100);
  const now = new Date();
  return (await collection?.stop?.({ startedAt: now, endedAt: now }))?.measures ?? {};
}

describe('the runner', () => {
  it('that stood still says for how long, and how much of the wall clock it covers', async () => {
    const measures = await measuresWhile(() => standStill(1.5));
    expect(measures['driver.runnerStall']).toBeGreaterThan(1.3);
    expect(measures['driver.window']).toBeGreaterThan(1.6);
    // Waiting takes no processor.
    expect(measures['driver.runnerProcessors']).toBeLessThan(0.5);
  });

  it('that computed all the time says how much of the processors it took', async () => {
    const measures = await measuresWhile(() => {
      for (const used = process.cpuUsage(); process.cpuUsage(used).user < 500_000;);
    });
    expect(measures['driver.runnerProcessors']).toBeGreaterThan(0.01);
    expect(measures['driver.runnerStall']).toBeGreaterThan(0.3);
  });
});
