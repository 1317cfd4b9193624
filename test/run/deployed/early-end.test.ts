import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stackExpiry } from '../../../runner/run/deployed/early-end.ts';

const createdAt = new Date('2026-11-21T12:00:00Z');

beforeEach(() => {
  vi.useFakeTimers({ now: createdAt });
});
afterEach(() => {
  vi.useRealTimers();
});

/** After how many hours a run is stopped, and why; null if it is not within three months. */
async function stoppedAfter(
  lifetimeHours: number | null,
  lifetimeNow: () => Promise<number | null>,
): Promise<{ hours: number; reason: string } | null> {
  const { signal } = stackExpiry(createdAt, lifetimeHours, { now: () => new Date(), lifetimeNow });
  for (let quarters = 0; quarters <= 90 * 24 * 4; quarters++) {
    if (signal.aborted) return { hours: (quarters - 1) / 4, reason: (signal.reason as Error).message };
    await vi.advanceTimersByTimeAsync(15 * 60_000);
  }
  return null;
}

describe('a run whose stack expires', () => {
  it('is stopped a quarter of an hour before that, so that it can save', async () => {
    expect(await stoppedAfter(24, () => Promise.resolve(24))).toEqual({
      hours: 23.5,
      reason:
        'Stopped by expiry.hours: 24. The stack expires at 2026-11-22T12:00:00.000Z, and the last 15 minutes are for saving.',
    });
  });

  it('goes on when the stack was given more time meanwhile, and is stopped before the end of that', async () => {
    expect(await stoppedAfter(24, () => Promise.resolve(48))).toMatchObject({ hours: 47.5 });
    expect(await stoppedAfter(24, () => Promise.resolve(null))).toBeNull();
  });

  it('is stopped where nobody can say whether the stack was given more time', async () => {
    const asked = await stoppedAfter(24, () => Promise.reject(new Error('no answer')));
    expect(asked).toMatchObject({ hours: 23.5 });
  });

  it('is not stopped too early by a lifetime that no timer can hold', async () => {
    expect(await stoppedAfter(24 * 60, () => Promise.resolve(24 * 60))).toMatchObject({ hours: 24 * 60 - 0.5 });
  });

  it('is not stopped while the clock says that it is not time, even if a timer says so', async () => {
    let clock = createdAt;
    const { signal } = stackExpiry(createdAt, 24, { now: () => clock, lifetimeNow: () => Promise.resolve(24) });
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    expect(signal.aborted).toBe(false);
    clock = new Date(createdAt.getTime() + 23.75 * 3_600_000);
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    expect(signal.aborted).toBe(true);
  });

  it('is not stopped where the stack never expires, or when the run has ended', async () => {
    expect(await stoppedAfter(null, () => Promise.resolve(null))).toBeNull();
    const { signal, clear } = stackExpiry(createdAt, 1, {
      now: () => new Date(),
      lifetimeNow: () => Promise.resolve(1),
    });
    clear();
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(signal.aborted).toBe(false);
  });
});
