import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startSampler } from '../../runner/collect/sampler.ts';

test('looks at once, and again until it is stopped', async () => {
  let looks = 0;
  const sampler = startSampler(0.01, () => (looks += 1));
  await expect.poll(() => looks).toBeGreaterThan(2);
  const { samples, failure } = await sampler.stop({ last: true });
  expect(samples.map(({ value }) => value)).toEqual(Array.from({ length: looks }, (_, index) => index + 1));
  expect(failure).toBeNull();
  await sleep(50);
  expect(samples).toHaveLength(looks);
});

test('a look that takes too long is never joined by a second one, and what it cost is counted as missed', async () => {
  let [under, most] = [0, 0];
  const sampler = startSampler(0.01, async () => {
    under += 1;
    most = Math.max(most, under);
    await sleep(55);
    under -= 1;
  });
  await sleep(300);
  const { samples, missed, lookSeconds } = await sampler.stop();
  expect(most).toBe(1);
  expect(missed).toBeGreaterThanOrEqual(samples.length - 1);
  expect(lookSeconds).toBeGreaterThan(0.05);
});

test('a look that fails ends it, with all that was seen before', async () => {
  let looks = 0;
  const sampler = startSampler(0.01, () => {
    looks += 1;
    if (looks === 3) throw new Error('gone');
    return looks;
  });
  await expect.poll(() => looks).toBe(3);
  const { samples, failure } = await sampler.stop({ last: true });
  expect(samples.map(({ value }) => value)).toEqual([1, 2]);
  expect(failure?.message).toBe('gone');
  expect(looks).toBe(3);
});

test('says when it looked, by the clock', async () => {
  const before = Date.now();
  const { samples } = await startSampler(1, () => null).stop();
  expect(samples[0]?.at).toBeGreaterThanOrEqual(before - 2);
  expect(samples[0]?.at).toBeLessThanOrEqual(Date.now() + 2);
});
