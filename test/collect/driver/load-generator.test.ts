import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CollectedTrial } from '../../../runner/collect/collector.ts';
import { findingsOf, loadGenerator } from '../../../runner/collect/driver/load-generator.ts';
import { measuredSince } from '../../helpers/samples/measured-part.ts';

const startedAt = new Date('2026-11-22T10:00:00.000Z');
const sample = (seconds: number, processorSeconds: number, threads: number) => ({
  at: startedAt.getTime() + seconds * 1000,
  value: { counters: { 'driver.loadGeneratorProcessors': processorSeconds }, threads },
});

describe('the load generator', () => {
  it('is near its limit when all of its threads are busy, and not when one of two is', () => {
    const { measures = {}, series = [] } = findingsOf([sample(0, 0, 1), sample(1, 1, 2), sample(2, 3, 2)], startedAt);
    expect(measures['driver.loadGeneratorProcessors']).toBe(1.5);
    expect(measures['driver.loadGeneratorBusy']).toBe(0.75);
    expect(series.filter(({ name }) => name === 'driver.loadGeneratorBusy').map(({ value }) => value)).toEqual([
      0.5, 1,
    ]);
  });

  it('that was seen once only has no values, and this is said', () => {
    expect(findingsOf([sample(0, 0, 1)], startedAt)).toEqual({
      facts: { absent: { 'load-generator': 'the load was too short for two samples' } },
    });
  });

  it('that is no process of its own has no values, and this is said', async () => {
    const trial = { loadProcess: new Promise(() => undefined) } as unknown as CollectedTrial;
    const collection = await loadGenerator.start?.(trial);
    expect(await collection?.stop?.(measuredSince(startedAt))).toEqual({
      facts: { absent: { 'load-generator': expect.stringMatching(/not a separate process|only Linux/) as string } },
    });
  });

  it.runIf(existsSync('/proc/self/task'))('is the very process that the tool has started, until its end', async () => {
    const child = spawn('sh', ['-c', 'while :; do :; done']);
    onTestFinished(() => void child.kill('SIGKILL'));
    const trial = { loadProcess: Promise.resolve(child.pid ?? 0) } as CollectedTrial;
    const collection = await loadGenerator.start?.(trial);
    await sleep(1300);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    const { measures = {} } = (await collection?.stop?.(measuredSince(startedAt))) ?? {};
    expect(measures['driver.loadGeneratorProcessors']).toBeGreaterThan(0);
    expect(measures['driver.loadGeneratorBusy']).toBe(Math.min(1, measures['driver.loadGeneratorProcessors'] ?? NaN));
    expect(measures['driver.loadGeneratorPreemptions']).toBeGreaterThanOrEqual(0);
  });
});
